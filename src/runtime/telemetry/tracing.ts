import {
  type Attributes,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api';

/** Tracer name at the OpenTelemetry SDK that the host registered; without an SDK nothing is recorded. */
const TRACER = 'kalends';

export interface SpanOptions {
  /** Ids, names and numbers only: never a body, an address or a secret. */
  readonly attributes?: Attributes;
  /** `client` for calls that leave the process, `server` for requests that reach it. @default internal */
  readonly kind?: 'client' | 'server';
  /** Headers that may carry the caller's trace (W3C Trace Context, or the format of the host's propagator). */
  readonly headers?: Headers;
}

/** Reads single headers on demand: most requests carry no trace. */
const HEADER_GETTER: TextMapGetter<Headers> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
};

const KINDS = { client: SpanKind.CLIENT, server: SpanKind.SERVER };

/**
 * Runs the work in a child of the active span, which is the active span meanwhile. A rejection marks it failed, with the
 * error's name and code, and passes through.
 */
export function inSpan<Result>(
  name: string,
  { attributes = {}, kind, headers }: SpanOptions,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const parent =
    headers === undefined ? context.active() : propagation.extract(context.active(), headers, HEADER_GETTER);
  const options = { attributes, ...(kind === undefined ? {} : { kind: KINDS[kind] }) };
  return trace.getTracer(TRACER).startActiveSpan(name, options, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failSpan(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Marks a span failed by the kind of error alone: messages may quote users' texts. */
export function failSpan(span: Span, error: unknown): void {
  const { name, code, reason } = error as { name?: unknown; code?: unknown; reason?: unknown };
  const type = [code, reason, name].find((part) => typeof part === 'string');
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', typeof type === 'string' ? type : 'unknown');
}

import { type Clock, type Provider, ProviderError, type Telemetry } from '../ports/index.ts';
import { inSpan } from './tracing.ts';

/** Methods that call the provider. */
const CALLS = {
  authorization: ['exchangeCode', 'refresh', 'identify', 'revoke'],
  calendars: ['pull', 'exists', 'create', 'update', 'delete'],
  events: ['pull', 'get', 'create', 'update', 'delete', 'respond'],
  push: ['open', 'renew', 'close'],
} as const satisfies { [Part in keyof Provider]?: readonly (keyof Provider[Part])[] };

interface Observer {
  readonly providerType: string;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
}

/** The same provider, its calls counted, timed and traced, each page of a pull for itself. */
export function observeProvider(provider: Provider, observer: Observer): Provider {
  const parts = new Map<string | symbol, object>();
  for (const [part, methods] of Object.entries(CALLS)) {
    parts.set(part, observePart(provider[part as keyof typeof CALLS], part, methods, observer));
  }
  return new Proxy(provider, { get: (target, property) => parts.get(property) ?? Reflect.get(target, property) });
}

/** Methods are looked up at each call, so that the part may be any object. */
function observePart<Part extends object>(
  part: Part,
  name: string,
  methods: readonly string[],
  observer: Observer,
): Part {
  return new Proxy(part, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function' || typeof property !== 'string' || !methods.includes(property)) return value;
      const operation = `${name}.${property}`;
      return (...parameters: readonly unknown[]) => {
        if (property !== 'pull') return observe(observer, operation, () => value.apply(target, parameters));
        return observePages(observer, operation, value.apply(target, parameters));
      };
    },
  });
}

async function* observePages<Page>(
  observer: Observer,
  operation: string,
  pages: AsyncIterable<Page>,
): AsyncGenerator<Page> {
  const iterator = pages[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const next = await observe(observer, operation, () => iterator.next());
      isOver = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    isOver = true;
    throw error;
  } finally {
    if (!isOver) await iterator.return?.();
  }
}

async function observe<Result>(
  { providerType: provider, telemetry, clock }: Observer,
  operation: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const startedAt = clock.now();
  let outcome = 'ok';
  try {
    return await inSpan(
      `provider.${operation}`,
      { kind: 'client', attributes: { 'kalends.provider': provider } },
      work,
    );
  } catch (error) {
    outcome = ProviderError.isInstance(error) ? error.reason : 'error';
    throw error;
  } finally {
    telemetry.count('kalends_provider_calls_total', { provider, operation, outcome });
    const seconds = (clock.now() - startedAt) / 1_000;
    telemetry.observe('kalends_provider_call_duration_seconds', { provider, operation }, seconds);
  }
}

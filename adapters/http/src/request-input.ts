import { KalendsError, type ResponseBytes } from 'kalends';

/** @throws KalendsError InvalidRequest for a repeated parameter, or any parameter of a route that takes none */
export function readQuery(url: URL, takesQuery: boolean): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of url.searchParams) {
    if (!takesQuery) throw invalidParameter(name, 'is not a known parameter');
    if (name in query) throw invalidParameter(name, 'must be given once');
    query[name] = value;
  }
  return { ...query };
}

function invalidParameter(path: string, message: string): KalendsError {
  return new KalendsError('InvalidRequest', `${path}: ${message}`, { details: [{ path, message }] });
}

/**
 * Reads the JSON body; undefined when there is none.
 * @throws KalendsError UnsupportedMediaType, PayloadTooLarge, or InvalidRequest for text that is not JSON
 */
export async function readJsonBody(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return undefined;
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type)) {
    throw new KalendsError('UnsupportedMediaType', 'the body must be sent with Content-Type: application/json');
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new KalendsError('InvalidRequest', 'the body is not valid UTF-8', { cause });
  }
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KalendsError('InvalidRequest', `the body is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Reads the whole body; empty when there is none.
 * The rest of a refused body stays in the stream: cancelling it would close the connection before the answer.
 * @throws KalendsError PayloadTooLarge, UnsupportedMediaType for a Content-Encoding, or InvalidRequest for an upload that broke off
 */
export async function readBytes(request: Request, maxBytes: number): Promise<ResponseBytes> {
  const tooLarge = () => new KalendsError('PayloadTooLarge', `the body must be at most ${maxBytes} bytes`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const reader = bodyReader(request);
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(brokenOff);
    if (done) return Buffer.concat(chunks);
    length += value.length;
    if (length > maxBytes) throw tooLarge();
    chunks.push(value);
  }
}

/**
 * Returns the reader of the body; undefined when there is none.
 * @throws Error where the host has read the body: the log names the mistake, and the caller gets an InternalError
 * @throws KalendsError UnsupportedMediaType for a Content-Encoding
 */
export function bodyReader(request: Request): ReadableStreamDefaultReader<Uint8Array> | undefined {
  if (request.bodyUsed) {
    throw new Error(
      'the host has read the body: call the handler before that, or with a new Request that has the body',
    );
  }
  const encoding = request.headers.get('content-encoding') ?? '';
  if (request.body !== null && !['', 'identity'].includes(encoding.toLowerCase())) {
    throw new KalendsError('UnsupportedMediaType', 'the body must be sent without Content-Encoding');
  }
  return request.body?.getReader();
}

/** The client is gone and reads no answer; the error keeps its fault apart from ours in logs and metrics. */
function brokenOff(cause: unknown): never {
  throw new KalendsError('InvalidRequest', 'the connection ended before the body did', { cause });
}

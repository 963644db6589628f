import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { streamedResponse } from './streamed-response.ts';

/** Bytes gathered before they are passed on: a part for each event would cost more than the events. */
const CHUNK_BYTES = 16_384;

/**
 * Creates a response of iCalendar text. Its parts are taken as the client reads, so that memory stays flat.
 * @param isCompressed by gzip, for a client that accepts it. @default false
 */
export function calendarText(
  parts: AsyncIterable<string>,
  headers: Readonly<Record<string, string>>,
  isCompressed = false,
): Response {
  const text = gathered(parts);
  return streamedResponse(bodyOf(isCompressed ? gzipped(text) : text), {
    'content-type': 'text/calendar; charset=utf-8',
    ...headers,
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
  });
}

async function* gathered(parts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  for await (const part of parts) {
    text += part;
    if (text.length < CHUNK_BYTES) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** Compresses as it is read: `CompressionStream` counts chunks where it should count bytes, and takes in thousands of them. */
async function* gzipped(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const zip = createGzip();
  // A failure of the text ends the compressed one too, and the end of its reader ends the text.
  pipeline(text, zip, () => undefined);
  yield* zip;
}

/** The body takes nothing before it is read, and nothing ahead. */
function bodyOf(bytes: AsyncGenerator<Buffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await bytes.next();
        if (done === true) controller.close();
        else controller.enqueue(new Uint8Array(value));
      },
      async cancel() {
        await bytes.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Tells whether a client accepts gzip, by its name or else by `*`. @see RFC 9110 §12.5.3 */
export function acceptsGzip(request: Request): boolean {
  const codings = (request.headers.get('accept-encoding') ?? '').toLowerCase().split(',');
  const weights = new Map(codings.map((text) => weightedCoding(text.split(';').map((part) => part.trim()))));
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}

/** A weight that is no number accepts nothing. */
function weightedCoding([name = '', ...parameters]: readonly string[]): readonly [string, number] {
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [name, weight === undefined ? 1 : Number(weight.slice(2))];
}

/** Returns the header by which a browser saves an answer under a name. @see RFC 6266 */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\w .-]/g, '_').trim();
  const coded = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain === '' ? 'calendar' : plain}.ics"; filename*=UTF-8''${coded}.ics`;
}

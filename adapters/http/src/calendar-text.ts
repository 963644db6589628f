import { streamedResponse } from './streamed-response.ts';

/** Bytes gathered before they are passed on: a part for each event would cost more than the events. */
const CHUNK_BYTES = 16_384;

/** Creates a response of iCalendar text. Its parts are taken as the client reads, so that memory stays flat. */
export function calendarText(parts: AsyncIterable<string>, headers: Readonly<Record<string, string>>): Response {
  return streamedResponse(bytesOfText(parts), { 'content-type': 'text/calendar; charset=utf-8', ...headers });
}

function bytesOfText(parts: AsyncIterable<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = parts[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        let text = '';
        for (;;) {
          const { done, value } = await iterator.next();
          if (done !== true) text += value;
          if (done === true || text.length >= CHUNK_BYTES) {
            if (text !== '') controller.enqueue(encoder.encode(text));
            if (done === true) controller.close();
            return;
          }
        }
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Compresses the answer for a client that accepts gzip, part by part. */
export function compressed(request: Request, response: Response): Response {
  const accepted = (request.headers.get('accept-encoding') ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase());
  if (response.body === null || !accepted.some((coding) => coding === 'gzip' || coding.startsWith('gzip;q=1')))
    return response;
  const headers = { ...Object.fromEntries(response.headers), 'content-encoding': 'gzip' };
  return streamedResponse(response.body.pipeThrough(new CompressionStream('gzip')), headers);
}

/** Returns the header by which a browser saves an answer under a name. @see RFC 6266 */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\w .-]/g, '_').trim();
  const coded = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain === '' ? 'calendar' : plain}.ics"; filename*=UTF-8''${coded}.ics`;
}

import { KalendsError } from 'kalends';

/**
 * Returns the parts of an iCalendar file that a request uploads, as they arrive.
 * @throws KalendsError UnsupportedMediaType; InvalidRequest for an upload that broke off, while it is read
 */
export function calendarFile(request: Request): AsyncIterable<Uint8Array> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'text/calendar') {
    throw new KalendsError('UnsupportedMediaType', 'the body must be sent with Content-Type: text/calendar');
  }
  return partsOf(request);
}

async function* partsOf({ body }: Request): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  for (;;) {
    // The client is gone and reads no answer; the error keeps its fault apart from ours.
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new KalendsError('InvalidRequest', 'the connection ended before the body did', { cause });
    });
    if (done) return;
    yield value;
  }
}

import { KalendsError } from 'kalends';
import { encodingOf } from 'kalends/icalendar';
import { bodyReader } from './request-input.ts';

/**
 * Returns the parts of an iCalendar file that a request uploads, as they arrive: in UTF-8 where the Content-Type names another charset, else
 * as they are.
 * @throws KalendsError UnsupportedMediaType; InvalidRequest for an upload that broke off or is not in its charset, while it is read
 */
export function calendarFile(request: Request): AsyncIterable<Uint8Array> {
  const [type = '', ...parameters] = (request.headers.get('content-type') ?? '').split(';').map((part) => part.trim());
  if (type.toLowerCase() !== 'text/calendar') {
    throw new KalendsError('UnsupportedMediaType', 'the body must be sent with Content-Type: text/calendar');
  }
  const charset = parameters.flatMap((parameter) => /^charset="?([^"]*)"?$/i.exec(parameter)?.[1] ?? [])[0];
  const encoding = encodingOf(charset ?? 'utf-8');
  if (encoding === undefined) {
    throw new KalendsError(
      'UnsupportedMediaType',
      'the charset of the Content-Type must be one of the Encoding Standard',
    );
  }
  // The first bytes of the text tell both orders of UTF-16.
  const isToldByText = encoding === 'utf-8' || charset?.toLowerCase() === 'utf-16';
  return isToldByText ? partsOf(request) : transcoded(partsOf(request), encoding);
}

async function* partsOf(request: Request): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = bodyReader(request);
  if (reader === undefined) return;
  for (;;) {
    // The client is gone and reads no answer; the error keeps its fault apart from ours.
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new KalendsError('InvalidRequest', 'the connection ended before the body did', { cause });
    });
    if (done) return;
    yield value;
  }
}

async function* transcoded(
  parts: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (part?: Uint8Array): Uint8Array => {
    try {
      return new TextEncoder().encode(decoder.decode(part, { stream: part !== undefined }));
    } catch (cause) {
      const message = `the body must be ${encoding}, as its Content-Type says`;
      throw new KalendsError('InvalidRequest', message, { details: [{ path: 'charset', message }], cause });
    }
  };
  for await (const part of parts) yield decode(part);
  yield decode();
}

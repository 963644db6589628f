import { KalendsError } from 'kalends';
import { readBytes } from '../request-input.ts';

const MAX_FORM_BYTES = 16_384;

/**
 * Reads a form that a browser sends; a field given twice counts once.
 * @throws KalendsError UnsupportedMediaType, PayloadTooLarge
 */
export async function readForm(request: Request): Promise<Readonly<Record<string, string>>> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw new KalendsError('UnsupportedMediaType', 'the body must be sent as application/x-www-form-urlencoded');
  }
  const bytes = await readBytes(request, MAX_FORM_BYTES);
  return Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes)));
}

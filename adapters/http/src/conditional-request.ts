import { createHash } from 'node:crypto';
import { KalendsError } from 'kalends';
import { POLL_INTERVAL_HEADER, SYNCED_AT_HEADER } from './age-headers.ts';

/** Headers of a 200 that the 304 in its place carries too. @see RFC 9110 §15.4.5 */
const KEPT = ['etag', 'cache-control', 'vary', SYNCED_AT_HEADER, POLL_INTERVAL_HEADER];

/** Matches one tag of a list, from the end of the last one. */
const TAG = /[ \t]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/y;

/** Returns the strong entity tag of a text. */
export function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/**
 * Returns the answer to a GET, or a 304 without a body when the client holds it already.
 * @throws KalendsError InvalidRequest for a malformed If-None-Match
 */
export function notModified(request: Request, response: Response): Response {
  const etag = response.headers.get('etag');
  const held = request.headers.get('if-none-match');
  if (etag === null || held === null || !matchesWeakly(held, etag)) return response;
  const headers = new Headers();
  for (const name of KEPT) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(null, { status: 304, headers });
}

/**
 * Tells whether If-None-Match lists an entity tag, by weak comparison.
 * @see RFC 9110 §8.8.3.2 and §13.1.2
 */
export function matchesWeakly(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const wanted = etag.replace(/^W\//, '');
  let isHeld = false;
  for (TAG.lastIndex = 0; TAG.lastIndex < ifNoneMatch.length; ) {
    const tag = TAG.exec(ifNoneMatch)?.[1];
    if (tag === undefined) {
      const message = 'must be quoted etags, separated by commas, or *';
      throw new KalendsError('InvalidRequest', `If-None-Match: ${message}`, {
        details: [{ path: 'If-None-Match', message }],
      });
    }
    isHeld ||= tag === wanted;
  }
  return isHeld;
}

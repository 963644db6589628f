import { invalid, KalendsError } from '../../errors.ts';

/** Whether an etag satisfies a value of If-Match. @throws KalendsError InvalidRequest for a malformed value */
export function satisfies(ifMatch: string, etag: string): boolean {
  const text = ifMatch.trim();
  if (text === '*') return true;
  const tags = text.split(',').map((tag) => tag.trim());
  // RFC 9110 §13.1.1 compares strongly: a weak tag is well-formed and never equal.
  if (!tags.every((tag) => /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(tag))) {
    throw invalid('If-Match', 'must be a quoted etag or *');
  }
  return tags.includes(etag);
}

/** @throws KalendsError PreconditionFailed when the etag does not satisfy the request's If-Match */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch !== undefined && !satisfies(ifMatch, etag)) {
    throw new KalendsError('PreconditionFailed', 'The event has another etag than If-Match asks for.');
  }
}

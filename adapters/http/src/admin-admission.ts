import { createHash, timingSafeEqual } from 'node:crypto';
import { type Actor, KalendsError } from 'kalends';
import type { Admission } from './admission.ts';
import { invalidOption } from './invalid-option.ts';
import type { OpenRoutesLimit } from './open-routes-limit.ts';

/** An administrator; `id` is written into the audit log. */
export interface Administrator {
  readonly id?: string | null;
}

/**
 * Returns who makes a request, or undefined for a caller who is not an administrator. Must leave the request's body unread.
 * A rejection is a 500, unless it is a KalendsError.
 */
export type Authorize = (request: Request) => Administrator | undefined | Promise<Administrator | undefined>;

const LEAST_LENGTH = 16;

/**
 * Creates the authorization by a bearer token, one of those given, which is compared in constant time.
 * @throws KalendsError InvalidRequest for no token, and for one that is too short or cannot stand in a header
 */
export function authorizeByToken(token: string | readonly string[]): Authorize {
  const tokens = typeof token === 'string' ? [token] : token;
  const refuse = (message: string) => invalidOption('token', message);
  if (!Array.isArray(tokens) || tokens.some((each) => typeof each !== 'string')) {
    throw refuse('must be a text, or a list of texts');
  }
  if (tokens.length === 0) throw refuse('must have at least one token');
  for (const each of tokens) {
    if (each.length < LEAST_LENGTH) throw refuse(`must have at least ${LEAST_LENGTH} characters`);
    if (!/^[\x21-\x7e]+$/.test(each)) throw refuse('must be printable ASCII without spaces');
  }
  const digestOf = (text: string) => createHash('sha256').update(text).digest();
  const digests = tokens.map(digestOf);
  return ({ headers }) => {
    const [scheme = '', sent = ''] = (headers.get('authorization') ?? '').split(' ', 2);
    const sentDigest = digestOf(sent);
    // Each is compared, whichever is right.
    const isRight = digests.filter((digest) => timingSafeEqual(sentDigest, digest)).length > 0;
    return isRight && scheme.toLowerCase() === 'bearer' ? {} : undefined;
  };
}

/** Creates the admission of administrators. */
export function createAdminAdmission(authorize: Authorize, openRoutes: OpenRoutesLimit): Admission<Actor> {
  return async (request, { client }) => {
    const administrator = await authorize(request);
    // Without types, `false` and `null` are easily returned for a refusal, and `true` names no administrator.
    if (typeof administrator !== 'object' || administrator === null) {
      throw new KalendsError('Unauthorized', 'The administration needs the credentials of an administrator.');
    }
    const credential = request.headers.get('authorization');
    if (credential !== null) openRoutes.goodCredential(credential);
    return { type: 'admin', id: administrator.id ?? null, address: client.address ?? null };
  };
}

// Sessions of the site's users, in memory. Yours know who has signed in; here, each browser is a user.
import { randomBytes } from 'node:crypto';

/** @typedef {{ userId: string, states: Set<string>, mailboxes: string[] }} Session */

/** @type {Map<string, Session>} */
const sessions = new Map();

/**
 * Returns the session of a request, or a new one with the cookie to set.
 * @param {Request} request
 */
export function sessionOf(request) {
  const [, known = ''] = /(?:^|; )session=([\w-]+)/.exec(request.headers.get('cookie') ?? '') ?? [];
  const session = sessions.get(known);
  if (session) return { session, cookie: undefined };
  const id = randomBytes(24).toString('base64url');
  /** @type {Session} */
  const made = { userId: `user-${randomBytes(9).toString('base64url')}`, states: new Set(), mailboxes: [] };
  sessions.set(id, made);
  // Lax: the cookie comes along when the provider sends the browser back.
  return { session: made, cookie: `session=${id}; HttpOnly; SameSite=Lax; Path=/` };
}

/**
 * Makes a state for one authorization flow of the session.
 * @param {Session} session
 */
export function newState(session) {
  const state = randomBytes(24).toString('base64url');
  session.states.add(state);
  const [oldest = ''] = session.states;
  if (session.states.size > 8) session.states.delete(oldest);
  return state;
}

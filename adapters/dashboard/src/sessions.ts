import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { authorizeByToken } from '@kalends/http';
import type { Clock, Random } from 'kalends/ports';

const LIFETIME_MS = 12 * 3_600_000;
const LINK_LIFETIME_MS = 3_600_000;

/** Sessions of people who have signed in with an admin token. A session is a signed cookie: it needs no storage. */
export interface Sessions {
  /** Begins a session for an admin token, and returns its `Set-Cookie`; undefined for a wrong token. */
  beginByToken(token: string, isSecure: boolean): string | undefined;
  /** Begins a session for a code of `createCode`, which is then used up. */
  beginByCode(code: string, isSecure: boolean): string | undefined;
  /** Returns a code that signs in once, within an hour, in this process. */
  createCode(): string;
  isSignedIn(request: Request): boolean;
  /** Ends a request's sessions, in this process, and returns each `Set-Cookie` that removes it from the browser. */
  end(request: Request, isSecure: boolean): readonly string[];
}

/**
 * Creates the sessions over admin tokens; a session lasts while its token is one of them, for twelve hours at most.
 * @throws KalendsError InvalidRequest for no token, and for a weak one
 */
export function createSessions(tokens: readonly string[], clock: Clock, random: Random): Sessions {
  // Refuses what the administration itself would refuse.
  authorizeByToken(tokens);
  const keys = tokens.map((token) => createHmac('sha256', token).update('kalends dashboard session').digest());
  const [firstKey] = keys;
  const codes = new Map<string, number>();
  /** Sessions that were ended here before their time, with that time. */
  const ended = new Map<string, number>();

  function begin(key: Buffer, isSecure: boolean): string {
    const session = `${textOf(random.bytes(16))}.${clock.now() + LIFETIME_MS}`;
    return cookie(nameOf(key), `${session}.${sign(key, session)}`, LIFETIME_MS / 1_000, isSecure);
  }

  /** Returns the ids and ends of a request's sessions that are genuine and last: one of each token at most. */
  function sessionsOf(request: Request): readonly (readonly [string, number])[] {
    const cookies = cookiesOf(request);
    return keys.flatMap((key) => {
      const [id = '', until = '', signature = ''] = cookies.get(nameOf(key))?.split('.') ?? [];
      const isGenuine = equal(sign(key, `${id}.${until}`), signature);
      return isGenuine && Number(until) > clock.now() && !ended.has(id) ? [[id, Number(until)] as const] : [];
    });
  }

  return {
    beginByToken(token, isSecure) {
      // Each is compared, whichever is right.
      const index = tokens.map((known) => equal(known, token)).indexOf(true);
      const key = keys[index];
      return key === undefined ? undefined : begin(key, isSecure);
    },
    beginByCode(code, isSecure) {
      const digest = digestOf(code);
      const until = codes.get(digest);
      codes.delete(digest);
      return until === undefined || until <= clock.now() ? undefined : begin(firstKey as Buffer, isSecure);
    },
    createCode() {
      const code = textOf(random.bytes(24));
      codes.set(digestOf(code), clock.now() + LINK_LIFETIME_MS);
      return code;
    },
    isSignedIn: (request) => sessionsOf(request).length > 0,
    end(request, isSecure) {
      for (const session of sessionsOf(request)) ended.set(...session);
      for (const [id, until] of ended) if (until <= clock.now()) ended.delete(id);
      return keys.map((key) => cookie(nameOf(key), '', 0, isSecure));
    },
  };
}

/** Returns a cookie's name. Browsers share cookies between the ports of a host: two demos must not sign each other out. */
function nameOf(key: Buffer): string {
  return `kalends_dashboard_${sign(key, 'name').slice(0, 8)}`;
}

function cookie(name: string, value: string, maxAge: number, isSecure: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}

function cookiesOf({ headers }: Request): ReadonlyMap<string, string> {
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, Math.max(0, at)).trim(), pair.slice(at + 1).trim()] as const;
  });
  return new Map(pairs);
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const sign = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('base64url');
const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');
const equal = (one: string, other: string) => timingSafeEqual(Buffer.from(digestOf(one)), Buffer.from(digestOf(other)));

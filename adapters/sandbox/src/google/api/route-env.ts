import type { Context, MiddlewareHandler } from 'hono';
import type { Caller, GoogleContext } from '../google-context.ts';
import { callerOf } from '../oauth/grants.ts';
import { ADMITTING_SCOPES, type Admission } from '../oauth/scopes.ts';
import { GoogleError, invalidCredentials } from './google-error.ts';
import { isObject } from './json.ts';
import { checkRate } from './rate-limit.ts';
import type { Json } from './wire.ts';

/** Variables of every handler of the API. */
export interface ApiEnv {
  Variables: {
    readonly google: GoogleContext;
    /** Absolute URL of the server's root. */
    readonly root: string;
    caller: Caller;
  };
}

/**
 * Admits a request with a valid bearer token that has one of the scopes.
 * @throws GoogleError 401, or 403 `insufficientPermissions` or `rateLimitExceeded`
 */
export function admit(admission: Admission): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const token = /^Bearer\s+(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const caller = token === undefined ? undefined : callerOf(c.var.google, token);
    if (caller === undefined) throw invalidCredentials();
    const admitting: readonly string[] = ADMITTING_SCOPES[admission];
    if (!caller.scopes.some((scope) => admitting.includes(scope))) {
      throw new GoogleError(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.');
    }
    checkRate(c.var.google, caller.mailbox.email);
    c.set('caller', caller);
    await next();
  };
}

/** Reads the JSON object of the body; an empty body is an empty object. @throws GoogleError 400 `parseError` */
export async function readBody(c: Context<ApiEnv>): Promise<Json> {
  const text = await c.req.text();
  if (text.trim() === '') return {};
  const value = parse(text);
  if (!isObject(value)) throw new GoogleError(400, 'parseError', 'Parse Error');
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { type Actor, type Engine, KalendsError } from 'kalends';
import { type Authorize, authorizeByToken, createAdminAdmission } from './admin-admission.ts';
import { adminInterface } from './admin-routes/index.ts';
import { type HandlerOptions, resolveHandlerOptions } from './handler-options.ts';
import { createTableHandler, type Handler } from './table-handler.ts';

/** Options of createAdminHandler: exactly one of `authorize` and `token`, and those of createHandler. */
export interface AdminHandlerOptions extends Omit<HandlerOptions, 'rateLimit'> {
  readonly authorize?: Authorize;
  /** Bearer token of at least 16 printable ASCII characters; several are accepted alike, while one takes the place of another. */
  readonly token?: string | readonly string[];
}

/**
 * Creates the handler of the `/admin/v1` routes over an engine. Every route needs an administrator, its OpenAPI document
 * included.
 * @throws KalendsError InvalidRequest naming an option that is wrong, for both or neither of `authorize` and `token`, or a weak token
 *
 * @example
 * const admin = createAdminHandler(engine, {
 *   authorize: async (request) => {
 *     const user = await userOfSession(request.headers.get('cookie')); // yours
 *     return user?.isOperator ? { id: user.email } : undefined;
 *   },
 * });
 */
export function createAdminHandler(engine: Engine, options: AdminHandlerOptions): Handler {
  const resolved = resolveHandlerOptions(options, ['authorize', 'token']);
  const authorize = authorizationOf(options);
  const table = options.token === undefined ? { ...adminInterface, credentialHeader: undefined } : adminInterface;
  return createTableHandler(engine, table, resolved, ({ openRoutes }) => createAdminAdmission(authorize, openRoutes));
}

/**
 * Creates the handler of the `/admin/v1` routes for requests that the engine's own process makes: each is `actor`'s, and needs no
 * credentials. It must not be mounted.
 */
export function createLocalAdminHandler(
  engine: Engine,
  actor: Actor,
  options: Pick<HandlerOptions, 'logger'> = {},
): Handler {
  return createTableHandler(engine, adminInterface, resolveHandlerOptions(options, []), () => async () => actor);
}

function authorizationOf({ authorize, token }: AdminHandlerOptions): Authorize {
  if (authorize !== undefined && token === undefined) return authorize;
  if (token !== undefined && authorize === undefined) return authorizeByToken(token);
  throw new KalendsError('InvalidRequest', 'createAdminHandler needs exactly one of authorize and token');
}

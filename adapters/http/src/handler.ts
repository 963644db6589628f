import type { Engine } from 'kalends';
import { type AuthorizeCaller, createCallerAdmission, createKeyAdmission } from './admission.ts';
import { type HandlerOptions, resolveHandlerOptions } from './handler-options.ts';
import { applicationInterface } from './routes/index.ts';
import { createTableHandler, type Handler } from './table-handler.ts';

/** Options of createHandler. */
export interface CallerHandlerOptions extends HandlerOptions {
  /** Admits by the host's own sign-in in place of API keys, which are then refused; `rateLimit` does not apply. @default API keys */
  readonly authorize?: AuthorizeCaller;
}

/**
 * Creates the handler of the `/v1` routes over an engine.
 * @throws KalendsError InvalidRequest naming the option that is wrong
 *
 * @example
 * const handler = createHandler(engine);
 * const response = await handler(new Request('http://localhost/v1/endUserAccounts', { headers: { 'x-api-key': key } }));
 */
export function createHandler(engine: Engine, options: CallerHandlerOptions = {}): Handler {
  const { rateLimit, authorize } = options;
  const resolved = resolveHandlerOptions(options, ['rateLimit', 'authorize']);
  if (authorize !== undefined) {
    const table = { ...applicationInterface, credentialHeader: undefined };
    return createTableHandler(engine, table, resolved, () => createCallerAdmission(authorize));
  }
  return createTableHandler(engine, applicationInterface, resolved, (parts) =>
    createKeyAdmission(engine, { rateLimit, ...parts }),
  );
}

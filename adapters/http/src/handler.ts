import type { Engine } from 'kalends';
import { createKeyAdmission } from './admission.ts';
import type { HandlerOptions } from './handler-options.ts';
import { applicationInterface } from './routes/index.ts';
import { createTableHandler, type Handler } from './table-handler.ts';

/**
 * Creates the handler of the `/v1` routes over an engine.
 *
 * @example
 * const handler = createHandler(engine);
 * const response = await handler(new Request('http://localhost/v1/endUserAccounts', { headers: { 'x-api-key': key } }));
 */
export function createHandler(engine: Engine, options: HandlerOptions = {}): Handler {
  const { rateLimit } = options;
  return createTableHandler(engine, applicationInterface, options, (parts) =>
    createKeyAdmission(engine, { rateLimit, ...parts }),
  );
}

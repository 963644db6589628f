import { serve } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { ConnectionReset } from './provider-front.ts';

/** A server that is listening. */
export interface Listening {
  /** Without a trailing slash, for instance `http://127.0.0.1:4040`. */
  readonly url: string;
  /** Stops listening and drops idle and busy connections. */
  close(): Promise<void>;
}

/** Serves a fetch handler over HTTP; a ConnectionReset breaks the connection without an answer. */
export function listenOn(
  handler: (request: Request) => Promise<Response>,
  options: { readonly port?: number; readonly hostname?: string } = {},
): Promise<Listening> {
  const hostname = options.hostname ?? '127.0.0.1';
  return new Promise((resolve, reject) => {
    const server = serve(
      {
        fetch: async (request, env) => {
          try {
            return await handler(request);
          } catch (error) {
            if (!(error instanceof ConnectionReset)) throw error;
            env.incoming.socket?.destroy();
            return RESPONSE_ALREADY_SENT;
          }
        },
        port: options.port ?? 0,
        hostname,
        overrideGlobalObjects: false,
      },
      (address) => {
        const host = hostname.includes(':') ? `[${hostname}]` : hostname;
        resolve({
          url: `http://${host}:${address.port}`,
          close: () =>
            new Promise((done, fail) => {
              server.close((error) => (error === undefined ? done() : fail(error)));
              if ('closeAllConnections' in server) server.closeAllConnections();
            }),
        });
      },
    );
    server.once('error', reject);
  });
}

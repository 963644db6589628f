import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Handler } from '@kalends/http';
import { expressMiddleware } from '@kalends/http/express';
import { fastifyPlugin } from '@kalends/http/fastify';
import { answerClientErrors, nodeListener } from '@kalends/http/node';
import express5 from 'express';
import express4 from 'express4';
import fastify from 'fastify';

export interface Mounted {
  /** Address of the interface: `/v1` follows. */
  readonly base: string;
  readonly server: Server;
  close(): Promise<unknown>;
}

const PREFIX = '/calendar';

async function listen(server: Server, prefix: string): Promise<Mounted> {
  answerClientErrors(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { base: `http://127.0.0.1:${port}${prefix}`, server, close };
}

/** Every way in which the interface is served; those of frameworks under a prefix. */
export const MOUNTS: readonly (readonly [string, (handler: Handler) => Promise<Mounted>])[] = [
  ['node:http', (handler) => listen(createServer(nodeListener(handler)), '')],
  ['Express 4', (handler) => listen(createServer(express4().use(PREFIX, expressMiddleware(handler))), PREFIX)],
  ['Express 5', (handler) => listen(createServer(express5().use(PREFIX, expressMiddleware(handler))), PREFIX)],
  [
    'Fastify 5',
    async (handler) => {
      const app = fastify();
      await app.register(fastifyPlugin, { prefix: PREFIX, handler });
      await app.ready();
      const mounted = await listen(app.server, PREFIX);
      const close = async () => {
        // Fastify would wait for a connection that the client has opened ahead.
        await mounted.close();
        await app.close();
      };
      return { ...mounted, close };
    },
  ],
];

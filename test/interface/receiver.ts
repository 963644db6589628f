import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One POST that was received. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real HTTP server that a webhook points to. */
export interface Receiver {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  readonly received: readonly Received[];
  /** The next request that comes to a path, counted from now; what came before is passed over. */
  next(path: string): Promise<Received>;
  close(): Promise<void>;
}

export async function createReceiver(answer: () => number = () => 204): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: { readonly path: string; readonly resolve: (request: Received) => void }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const post = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(post);
      response.writeHead(answer()).end();
      for (const waiter of waiting.filter(({ path }) => path === post.path)) {
        waiting.splice(waiting.indexOf(waiter), 1);
        waiter.resolve(post);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    next: (path) => new Promise((resolve) => waiting.push({ path, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real HTTP server that records what it is sent; `answer` may be replaced at any time. */
export async function openReceiver() {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const receiver = {
    url: '',
    received,
    answer: ((_request, response) => response.end('ok')) as RequestListener,
    /** Resolves when at least `count` requests have come in. */
    async wait(count: number): Promise<void> {
      while (received.length < count) await new Promise<void>((resolve) => waiting.add(resolve));
    },
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ path: request.url ?? '', headers: request.headers, body });
    receiver.answer(request, response);
    for (const resolve of waiting) resolve();
    waiting.clear();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

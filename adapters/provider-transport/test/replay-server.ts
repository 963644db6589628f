import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `silent`: no answer comes; `reset`: the connection breaks. */
export type ReplayedAnswer =
  | 'silent'
  | 'reset'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly gzip?: boolean;
    };

export interface ReplayServer {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Resolves when so many requests have arrived. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server that gives these answers in order and the last one to every further request, or those of a function. */
export async function startReplay(
  answers: readonly ReplayedAnswer[] | ((request: SeenRequest) => ReplayedAnswer),
): Promise<ReplayServer> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers: sent } = request;
    const noted = { method, url, headers: sent, body: Buffer.concat(chunks).toString() };
    seen.push(noted);
    const inOrder = (list: readonly ReplayedAnswer[]) => list[Math.min(seen.length, list.length) - 1] ?? 'reset';
    const answer = typeof answers === 'function' ? answers(noted) : inOrder(answers);
    if (answer === 'silent') return;
    if (answer === 'reset') {
      request.socket.destroy();
      return;
    }
    const { status, headers = {}, body = '', gzip = false } = answer;
    response.writeHead(status, { ...headers, ...(gzip ? { 'content-encoding': 'gzip' } : {}) });
    response.end(gzip ? gzipSync(body) : body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async arrived(count) {
      while (seen.length < count) await new Promise((resolve) => setImmediate(resolve));
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

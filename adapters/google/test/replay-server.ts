import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ReplayedAnswer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Breaks the connection instead. */
  readonly reset?: boolean;
  /** Never answers. */
  readonly silent?: boolean;
  /** Holds the answer until this resolves. */
  readonly after?: Promise<void>;
}

/** A server that gives the answers it was told, in order; the last one for ever. */
export async function startReplay(answers: readonly ReplayedAnswer[]) {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += String(part);
    });
    request.on('end', async () => {
      const answer = answers[Math.min(seen.length, answers.length - 1)] ?? { status: 500 };
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      await answer.after;
      if (answer.reset) request.socket.destroy();
      else if (!answer.silent) response.writeHead(answer.status, answer.headers).end(answer.body ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

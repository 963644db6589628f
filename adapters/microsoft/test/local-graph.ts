import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderSession } from 'kalends/ports';

/** A request as the local server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An answer by hand; `hang` never comes. */
export type HandMade =
  | 'hang'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown };

export interface LocalGraph {
  readonly url: string;
  readonly seen: SeenRequest[];
  close(): Promise<void>;
}

/** A server that answers from a function: for bodies and behaviour that a well-bred server would not show. */
export async function localGraph(answer: (request: SeenRequest) => HandMade | Promise<HandMade>): Promise<LocalGraph> {
  const seen: SeenRequest[] = [];
  const server: Server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request: SeenRequest = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    };
    seen.push(request);
    const made = await answer(request);
    if (made === 'hang') return;
    const text = typeof made.body === 'string' ? made.body : made.body === undefined ? '' : JSON.stringify(made.body);
    outgoing.writeHead(made.status, { 'content-type': 'application/json', ...made.headers });
    outgoing.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A session with the tokens `t1`, `t2`, …: another one each time the last is refused. */
export function tokenSession(accountId = 'acc_1'): ProviderSession & { readonly asked: (string | undefined)[] } {
  const asked: (string | undefined)[] = [];
  let number = 1;
  return {
    accountId,
    email: 'me@example.test',
    asked,
    async accessToken(refused) {
      asked.push(refused);
      if (refused === `t${number}`) number += 1;
      return `t${number}`;
    },
  };
}

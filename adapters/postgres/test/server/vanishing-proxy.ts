import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface VanishingProxy {
  readonly url: string;
  /** The connections that there are hear nothing any more, in either direction, and no end either. New ones work. */
  vanish(): void;
  close(): Promise<void>;
}

/** Stands for the network before a server that is switched off: its connections stay open without an answer. */
export async function startVanishingProxy(serverUrl: string): Promise<VanishingProxy> {
  const target = new URL(serverUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [socket, other] of [pair, [upstream, client] as const]) {
      socket.on('error', () => socket.destroy());
      socket.on('data', (bytes: Buffer) => {
        if (pairs.has(pair)) other.write(bytes);
      });
      socket.on('close', () => {
        if (pairs.delete(pair)) other.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const gone = new Set<readonly [Socket, Socket]>();
  const url = new URL(serverUrl);
  const address = server.address();
  url.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: url.href,
    vanish() {
      for (const pair of pairs) gone.add(pair);
      pairs.clear();
    },
    async close() {
      for (const pair of [...pairs, ...gone]) for (const socket of pair) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

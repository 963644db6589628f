import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface CountingProxy {
  readonly url: string;
  /** Round trips so far, of all connections. */
  readonly roundTrips: () => number;
  close(): Promise<void>;
}

/** A network that counts: a round trip begins when a client speaks after the server. */
export async function startCountingProxy(serverUrl: string): Promise<CountingProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let roundTrips = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((client) => {
    keep(client);
    const upstream = keep(connect(Number(target.port), target.hostname));
    let isAnswered = true;
    client.on('data', (chunk) => {
      // Notifications go out by themselves, some time after what they tell of.
      if (isAnswered && !chunk.includes('pg_notify')) roundTrips += 1;
      isAnswered = false;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      isAnswered = true;
      client.write(chunk);
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(serverUrl);
  url.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: url.href,
    roundTrips: () => roundTrips,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

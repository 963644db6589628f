import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface HangingProxy {
  readonly url: string;
  /** Nothing gets through any more, and nothing is refused: new connections are accepted, and get no answer. */
  hang(): void;
  /** Everything that was sent meanwhile gets through. */
  resume(): void;
  close(): Promise<void>;
}

/** Stands before a server whose processes are stopped (SIGSTOP), or whose disk does not answer. */
export async function startHangingProxy(serverUrl: string): Promise<HangingProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isHanging = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('data', (bytes: Buffer) => other.write(bytes));
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      if (isHanging) socket.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(serverUrl);
  url.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: url.href,
    hang() {
      isHanging = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isHanging = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createMessageReader } from './wire-messages.ts';

/**
 * Where a connection is cut: before the server hears the commit, while that is on its way, or after the server has answered,
 * before the client hears.
 */
export type Cut = 'before commit' | 'during commit' | 'after commit';

export interface CutOptions {
  /** New connections wait for this. */
  readonly back?: Promise<void>;
  /** Cut during a commit: the server hears it after this, and of the cut with it. */
  readonly arrival?: Promise<void>;
}

export interface CuttingProxy {
  readonly url: string;
  /** Cuts the connection of the next commit. Resolves when it has been cut. */
  cutNext(cut: Cut, options?: CutOptions): Promise<void>;
  /** Cuts the connection when the server has answered a statement with this command, before the client hears. Resolves when it has been cut. */
  cutAnswer(command: 'INSERT' | 'UPDATE'): Promise<void>;
  readonly cuts: () => number;
  close(): Promise<void>;
}

/** A network that fails at the worst moment. */
export async function startCuttingProxy(serverUrl: string): Promise<CuttingProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let wanted: Cut | undefined;
  let answer: string | undefined;
  let tellCut: () => void = () => undefined;
  let arrival = Promise.resolve();
  let wayOpen = Promise.resolve();
  let cuts = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((client) => {
    keep(client);
    client.pause();
    void wayOpen.then(() => join(client));
  }).listen(0, '127.0.0.1');
  const join = (client: Socket) => {
    const upstream = keep(connect(Number(target.port), target.hostname));
    const readClient = createMessageReader(true);
    const readServer = createMessageReader(false);
    let isCutting = false;
    let isLate = false;
    client.on('data', (chunk: Buffer) => {
      for (const { type, bytes } of readClient(chunk)) {
        const isCommit = type === 'Q' && bytes.toString('latin1', 5) === 'commit\0';
        if (isCommit && wanted !== undefined) {
          const cut = wanted;
          wanted = undefined;
          cuts += 1;
          if (cut === 'after commit') {
            isCutting = true;
          } else {
            if (cut === 'during commit') void arrival.then(() => upstream.end(bytes));
            else upstream.destroy();
            isLate = cut === 'during commit';
            client.destroy();
            tellCut();
            return;
          }
        }
        upstream.write(bytes);
      }
    });
    upstream.on('data', (chunk: Buffer) => {
      for (const { type, bytes } of readServer(chunk)) {
        const command = type === 'C' ? bytes.toString('latin1', 5) : '';
        const isWanted = answer !== undefined && command.startsWith(answer);
        if (isWanted || (isCutting && command.startsWith('COMMIT'))) {
          if (isWanted) answer = undefined;
          client.destroy();
          upstream.destroy();
          tellCut();
          return;
        }
        client.write(bytes);
      }
    });
    client.on('close', () => {
      if (!isLate) upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
    client.resume();
  };
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(serverUrl);
  url.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: url.href,
    cutNext: (cut, options = {}) =>
      new Promise((resolve) => {
        wanted = cut;
        arrival = options.arrival ?? Promise.resolve();
        tellCut = () => {
          wayOpen = options.back ?? Promise.resolve();
          resolve();
        };
      }),
    cutAnswer: (command) =>
      new Promise((resolve) => {
        answer = command;
        tellCut = resolve;
      }),
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

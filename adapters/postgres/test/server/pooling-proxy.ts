import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createMessageReader, type WireMessage } from './wire-messages.ts';

export interface PoolingProxy {
  /** The given address, by way of the proxy. */
  urlOf(url: string): string;
  /** Server connections that have served a client other than the one before. */
  readonly handovers: () => number;
  close(): Promise<void>;
}

/** A session at the server, between two transactions of whichever clients. */
interface Backend {
  readonly socket: Socket;
  client: Client | undefined;
  lastClient: Client | undefined;
}

interface Client {
  readonly socket: Socket;
  backend: Backend | undefined;
  /** Answers (ReadyForQuery) that are still to come. */
  outstanding: number;
  readonly waiting: WireMessage[];
}

/** The sessions of one database and user. */
interface BackendPool {
  readonly startup: Buffer;
  greeting: Buffer | undefined;
  readonly backends: Backend[];
  readonly clients: Client[];
}

const BACKENDS = 3;

/**
 * A proxy that gives each transaction whichever server session is free, the one that was free longest, as pgbouncer does
 * in its transaction mode: what a client keeps in its session is gone or another client's.
 */
export async function startPoolingProxy(serverUrl: string): Promise<PoolingProxy> {
  const { hostname, port } = new URL(serverUrl);
  const pools = new Map<string, BackendPool>();
  const sockets = new Set<Socket>();
  let handovers = 0;

  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };

  const serve = (pool: BackendPool) => {
    for (const client of pool.clients) {
      if (client.waiting.length === 0) continue;
      client.backend ??= bind(pool, client);
      if (client.backend === undefined) continue;
      for (const { type, bytes } of client.waiting.splice(0)) {
        if (type === 'Q' || type === 'S') client.outstanding += 1;
        client.backend.socket.write(bytes);
      }
    }
  };

  const bind = (pool: BackendPool, client: Client): Backend | undefined => {
    const index = pool.backends.findIndex((backend) => backend.client === undefined);
    const [backend] = index === -1 ? [] : pool.backends.splice(index, 1);
    if (backend === undefined) return undefined;
    // To the end of the line: the next transaction gets another one.
    pool.backends.push(backend);
    if (backend.lastClient !== undefined && backend.lastClient !== client) handovers += 1;
    backend.client = client;
    backend.lastClient = client;
    return backend;
  };

  const openBackend = async (pool: BackendPool) => {
    const backend: Backend = {
      socket: keep(connect(Number(port), hostname)),
      client: undefined,
      lastClient: undefined,
    };
    const greeting: Buffer[] = [];
    let isGreeted = false;
    const read = createMessageReader(false);
    const greeted = new Promise<void>((resolve, reject) => {
      backend.socket.on('close', () => {
        pool.backends.splice(pool.backends.indexOf(backend) >>> 0, 1);
        backend.client?.socket.destroy();
        reject(new Error('The server closed the session'));
      });
      backend.socket.on('data', (chunk: Buffer) => {
        for (const { type, bytes } of read(chunk)) {
          if (!isGreeted) greeting.push(bytes);
          else backend.client?.socket.write(bytes);
          if (type === 'Z' && !isGreeted) {
            isGreeted = true;
            resolve();
          } else if (type === 'Z' && backend.client !== undefined) {
            backend.client.outstanding -= 1;
            if (bytes.toString('latin1', 5) === 'I' && backend.client.outstanding === 0) {
              backend.client.backend = undefined;
              backend.client = undefined;
              serve(pool);
            }
          }
        }
      });
    });
    backend.socket.write(pool.startup);
    await greeted;
    pool.greeting ??= Buffer.concat(greeting);
    pool.backends.push(backend);
  };

  const poolFor = async (startup: Buffer) => {
    const key = startup.toString('latin1');
    const pool: BackendPool = pools.get(key) ?? { startup, greeting: undefined, backends: [], clients: [] };
    pools.set(key, pool);
    while (pool.backends.length < BACKENDS) await openBackend(pool);
    return pool;
  };

  const server = createServer((socket) => {
    keep(socket);
    const client: Client = { socket, backend: undefined, outstanding: 0, waiting: [] };
    const read = createMessageReader(true);
    let pool: BackendPool | undefined;
    const start = async (startup: Buffer) => {
      pool = await poolFor(startup);
      pool.clients.push(client);
      socket.write(pool.greeting ?? '');
    };
    socket.on('data', (chunk: Buffer) => {
      for (const message of read(chunk)) {
        if (message.type === 'startup') void start(message.bytes).catch(() => socket.destroy());
        else if (message.type === 'X') socket.end();
        else client.waiting.push(message);
      }
      if (pool !== undefined) serve(pool);
    });
    socket.on('close', () => {
      pool?.clients.splice(pool.clients.indexOf(client) >>> 0, 1);
      // A client that goes in the midst of a transaction takes the session with it.
      client.backend?.socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    urlOf(url) {
      const proxied = new URL(url);
      proxied.port = String(typeof address === 'object' ? address?.port : '');
      return proxied.href;
    },
    handovers: () => handovers,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

import { Socket } from 'node:net';
import { DeadlineError, monotonicClock, withDeadline } from 'kalends/runtime';

/** Time limit of a goodbye. Real time: it passes in the server, whatever clock the caller has. */
const GOODBYE_MS = 2_000;

/** Waits for the work two seconds at most: a server that hangs never answers. Rejects as the work does in that time. */
export async function withinGoodbye(work: () => Promise<unknown>): Promise<void> {
  await withDeadline(monotonicClock, GOODBYE_MS, work).catch((error: unknown) => {
    if (!(error instanceof DeadlineError)) throw error;
  });
}

/** The sockets of clients. A client that ends waits for the server's end of its socket, and so does its process. */
export interface Sockets {
  /** Makes a socket for a client to connect. */
  create(): Socket;
  /** Ends the clients by `goodbye`, and after two seconds destroys the sockets that are left. */
  end(goodbye: () => Promise<unknown>): Promise<void>;
}

export function createSockets(): Sockets {
  const open = new Set<Socket>();
  return {
    create() {
      const socket = new Socket();
      open.add(socket);
      return socket.once('close', () => open.delete(socket));
    },
    async end(goodbye) {
      try {
        await withinGoodbye(async () => {
          await goodbye();
          await Promise.all([...open].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
        });
      } finally {
        for (const socket of open) socket.destroy();
      }
    },
  };
}

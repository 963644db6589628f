import type { IncomingMessage, ServerResponse } from 'node:http';
import { endInStages } from './closing.ts';

/** A body of this declared length is read to its end for the sake of its connection: a new one costs the client more. */
const KEPT_BYTES = 1_048_576;

/**
 * Settles what becomes of a request body that the handler has left unread, before the head of the answer is written.
 * A body that has arrived, or of at most 1 MiB, is discarded once the answer is out, so that the next request of the connection is
 * found behind it. A longer one, or one of unknown length, ends the connection: the answer says `Connection: close` and is
 * delivered in full.
 */
export function settleUnreadBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.readableEnded || incoming.httpVersionMajor > 1) return;
  // Node discards by itself what has arrived and was never looked at: all there is of a usual GET.
  if (incoming.complete && !incoming.readableDidRead) return;
  const declared = Number(incoming.headers['content-length'] ?? Number.NaN);
  const fits = incoming.complete || declared <= KEPT_BYTES;
  if (fits && outgoing.shouldKeepAlive && !incoming.destroyed) {
    outgoing.once('finish', () => discard(incoming));
    return;
  }
  if (incoming.complete) return;
  outgoing.setHeader('connection', 'close');
  const { socket } = outgoing;
  // Node calls this behind the last answer of a connection, and destroys the socket at once.
  if (socket !== null) socket.destroySoon = () => endInStages(socket);
}

/** Reads to the end without keeping anything. Earlier readers would pause the stream, or wait for more of it. */
function discard(incoming: IncomingMessage): void {
  if (incoming.readableEnded) return;
  incoming.removeAllListeners('data');
  incoming.removeAllListeners('readable');
  incoming.resume();
}

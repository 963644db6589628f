import type { IncomingMessage, ServerResponse } from 'node:http';
import { endInStages } from './closing.ts';

/** Up to this declared length a body is read to its end, to keep the connection: a new one costs the client more. */
const KEPT_BYTES = 1_048_576;

/**
 * Decides, before the head of the answer is written, how a body that the handler has left unread ends.
 * A body that has arrived, or of at most 1 MiB, is discarded after the answer, so that the next request of the connection is
 * found behind it. A longer one, or one of unknown length, ends the connection: the answer says `Connection: close` and is
 * delivered in full.
 */
export function settleUnreadBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.readableEnded || incoming.httpVersionMajor > 1) return;
  // Node itself discards a body that has arrived and was never read, such as that of a usual GET.
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
  // Node calls this after the last answer of a connection, and would destroy the socket at once.
  if (socket !== null) socket.destroySoon = () => endInStages(socket);
}

/** Reads to the end and discards; removes earlier readers, which would pause the stream or wait for more of it. */
function discard(incoming: IncomingMessage): void {
  if (incoming.readableEnded) return;
  incoming.removeAllListeners('data');
  incoming.removeAllListeners('readable');
  incoming.resume();
}

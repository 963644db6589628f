import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from 'node:http2';
import { endInStages } from './closing.ts';

/** Up to this declared length a body is read to its end, to keep the connection: a new one costs the client more. */
const KEPT_BYTES = 1_048_576;

export type Incoming = IncomingMessage | Http2ServerRequest;
export type Outgoing = ServerResponse | Http2ServerResponse;

/**
 * Decides, before the head of the answer is written, how a body that the handler has left unread ends.
 * A body that has arrived, or of at most 1 MiB, is discarded after the answer, so that the next request of the connection is
 * found behind it. A longer one, or one of unknown length, ends the connection: the answer says `Connection: close` and is
 * delivered in full. Over HTTP/2 at most 1 MiB more is read, then the stream alone is closed.
 */
export function settleUnreadBody(incoming: Incoming, outgoing: Outgoing): void {
  if (incoming.readableEnded) return;
  if (isOverHttp2(incoming)) {
    const { stream } = incoming;
    // The answer's own event waits for the end of the stream.
    stream.once('finish', () => discardRest(stream));
    return;
  }
  // The answer is of the version of its request.
  settleConnection(incoming, outgoing as ServerResponse);
}

const isOverHttp2 = (incoming: Incoming): incoming is Http2ServerRequest => incoming.httpVersionMajor > 1;

function settleConnection(incoming: IncomingMessage, outgoing: ServerResponse): void {
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

/** Over HTTP/2 a stream stays open, and its connection with it, until the body has been read or the stream is closed. */
function discardRest(stream: ServerHttp2Stream): void {
  let left = KEPT_BYTES;
  // The request's own reader, which pauses the stream: the request may be destroyed by now.
  stream.removeAllListeners('data');
  stream.on('data', (chunk: Uint8Array) => {
    left -= chunk.byteLength;
    // Without an error, as RFC 9113 §8.1 has it for a server that needs no more of the body.
    if (left < 0) stream.close();
  });
  stream.resume();
}

/** Reads to the end and discards; removes earlier readers, which would pause the stream or wait for more of it. */
function discard(incoming: IncomingMessage): void {
  if (incoming.readableEnded) return;
  incoming.removeAllListeners('data');
  incoming.removeAllListeners('readable');
  incoming.resume();
}

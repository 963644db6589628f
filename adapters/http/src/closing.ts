import type { Duplex } from 'node:stream';
import type { Clock } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';

/** Longest time for which a client may go on sending after the last answer. */
const LINGER_MS = 5_000;

/**
 * Ends a connection behind what has been written to it. What the client goes on sending is discarded until it ends the
 * connection too, for at most five seconds: a socket that is closed with unread bytes is reset, and a reset takes the
 * answer away from a client that has not read it yet.
 * @see RFC 9112 §9.6
 */
export function endInStages(socket: Duplex, clock: Clock = systemClock): void {
  socket.on('error', () => socket.destroy());
  // Node starts a socket again that its HTTP parser has paused only while the parser is attached, and before this listener.
  if (socket.readableFlowing === false) socket.once('resume', () => discardInput(socket)).resume();
  else discardInput(socket);
  socket.end();
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  clock.sleep(LINGER_MS, closed.signal).then(
    () => socket.destroy(),
    // The connection has closed by itself.
    () => undefined,
  );
}

/** Detaches the HTTP parser: what follows is no request any more. */
function discardInput(socket: Duplex): void {
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
}

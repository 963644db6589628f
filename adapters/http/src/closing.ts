import type { Duplex } from 'node:stream';
import type { Clock } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';

/** Longest time that a client may go on sending after the last answer. */
const LINGER_MS = 5_000;

/**
 * Ends a connection after its last answer, without a reset.
 * Discards the client's further input until the client ends the connection too, for at most five seconds: closing a socket
 * with unread bytes resets it, and a reset takes the answer away from a client that has not read it yet.
 * @see RFC 9112 §9.6
 */
export function endInStages(socket: Duplex, clock: Clock = systemClock): void {
  socket.on('error', () => socket.destroy());
  // Node resumes a socket that its HTTP parser has paused only while the parser is attached, and before this listener runs.
  if (socket.readableFlowing === false) socket.once('resume', () => discardInput(socket)).resume();
  else discardInput(socket);
  socket.end();
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  clock.sleep(LINGER_MS, closed.signal).then(
    () => socket.destroy(),
    // The sleep rejects when the connection has closed by itself.
    () => undefined,
  );
}

/** Detaches the HTTP parser, so that further input is not read as a request. */
function discardInput(socket: Duplex): void {
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
}

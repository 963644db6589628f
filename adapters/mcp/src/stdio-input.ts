import { Readable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { Clock } from 'kalends/ports';

/** Standard input that ends for its reader only when all requests are answered. */
export interface StdioInput {
  readonly stream: Readable;
  /** Counts the requests of a transport, once it is served, and their answers. */
  watch(transport: Transport): void;
  /** Stops reading. */
  close(): void;
}

/**
 * The protocol's transport drops requests that are running when its input ends.
 * @param drainMs how long the end waits for their answers
 */
export function createStdioInput(source: Readable, { drainMs, clock }: { drainMs: number; clock: Clock }): StdioInput {
  const running = new Set<unknown>();
  const drained = new AbortController();
  let hasEnded = false;
  let isDraining = false;
  let isClosed = false;
  const stream = new Readable({
    read() {
      if (!isClosed) source.resume();
    },
  });

  function settle(id: unknown): void {
    running.delete(id);
    if (isDraining && running.size === 0) drained.abort();
  }

  const onData = (chunk: Uint8Array) => {
    if (!stream.push(chunk)) source.pause();
  };
  const onError = (error: Error) => stream.destroy(error);
  const onEnd = async () => {
    if (hasEnded) return;
    hasEnded = true;
    // The last chunk may not have been read.
    while (stream.readableLength > 0 && !isClosed) await clock.sleep(0);
    isDraining = true;
    if (running.size > 0) await clock.sleep(drainMs, drained.signal).catch(() => undefined);
    stream.push(null);
  };
  source.on('data', onData).on('error', onError).on('end', onEnd).on('close', onEnd);

  return {
    stream,
    watch(transport) {
      const receive = transport.onmessage;
      transport.onmessage = (message: JSONRPCMessage, extra) => {
        // A subscription is answered by its end alone.
        if ('method' in message && 'id' in message && message.method !== 'subscriptions/listen')
          running.add(message.id);
        // A request that is cancelled has no answer.
        if ('method' in message && message.method === 'notifications/cancelled') settle(message.params?.['requestId']);
        receive?.(message, extra);
      };
      const send = transport.send.bind(transport);
      transport.send = async (message, options) => {
        try {
          await send(message, options);
        } finally {
          if ('id' in message && !('method' in message)) settle(message.id);
        }
      };
    },
    close() {
      source.off('data', onData).off('error', onError).off('end', onEnd).off('close', onEnd);
      source.pause();
      isClosed = true;
      drained.abort();
    },
  };
}

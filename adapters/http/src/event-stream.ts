import type { Clock } from 'kalends/ports';
import { createWakeUp } from 'kalends/runtime';
import { streamedResponse } from './streamed-response.ts';

/** Interval of the comments that keep an idle connection open, shorter than the timeouts of usual proxies. */
const HEARTBEAT_MS = 15_000;
/** Pause of a browser before it connects again. */
const RETRY_MS = 2_000;
/** Most events that wait for a slow reader. */
const MOST_WAITING = 1_000;
/** Longest time in which a reader who is no longer admitted goes on to read. */
const ASK_MS = 15_000;
/** Longest life of a stream: then its reader connects again, and shows that it is still admitted. */
const LONGEST_MS = 3_600_000;

const HEADERS = {
  'content-type': 'text/event-stream',
  // no-transform: compression would hold events back.
  'cache-control': 'no-cache, no-transform',
  // Proxies of the kind of nginx pass events on at once.
  'x-accel-buffering': 'no',
};

/** One event of a stream: its type, and an object that is sent as JSON. */
export interface StreamedEvent {
  readonly type: string;
}

/** Parts of a call that a stream depends on. */
export interface StreamContext {
  readonly clock: Clock;
  /** Ends the stream when it aborts. */
  readonly stopping?: AbortSignal | undefined;
  /** Tells whether the reader may still read: a session ends while its stream is open. */
  readonly isAdmitted: () => Promise<boolean>;
}

/** Where the events of a stream come from. */
export interface StreamSource {
  /** Begins at once; returns the function that stops it. `end` ends the stream behind its last event. */
  subscribe(push: (event: StreamedEvent) => void, end: () => void): () => void;
  /** Returns the event that says how many were left out, because the reader was too slow. */
  lost(count: number): StreamedEvent;
}

/**
 * Creates a response of Server-Sent Events. What happens from the call on is in it. An event's id is its place in the stream: a gap
 * is what a slow reader has lost, its oldest events.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function eventStream({ clock, stopping, isAdmitted }: StreamContext, source: StreamSource): Response {
  const queue = createQueue(source);
  const wakeUp = createWakeUp(clock);
  const gone = new AbortController();
  const endsAt = clock.now() + LONGEST_MS;
  let heartbeatAt = clock.now() + HEARTBEAT_MS;
  let askAt = clock.now() + ASK_MS;
  let hasBegun = false;
  let isOver = false;

  const end = () => {
    isOver = true;
    wakeUp.notify();
  };
  const unsubscribe = source.subscribe((event) => {
    queue.push(event);
    wakeUp.notify();
  }, end);
  stopping?.addEventListener('abort', end, { once: true });
  if (stopping?.aborted === true) end();
  const stop = () => {
    unsubscribe();
    stopping?.removeEventListener('abort', end);
    gone.abort(new Error('The reader is gone.'));
  };

  /** Resolves with the next text, undefined for the end. */
  const next = async (): Promise<string | undefined> => {
    for (;;) {
      if (!hasBegun) {
        hasBegun = true;
        return `retry: ${RETRY_MS}\n\n`;
      }
      const now = clock.now();
      if (now >= askAt) {
        askAt = now + ASK_MS;
        if (!(await isAdmitted())) return undefined;
      }
      const text = queue.take();
      if (text !== '' || now >= heartbeatAt) {
        heartbeatAt = now + HEARTBEAT_MS;
        return text === '' ? ': heartbeat\n\n' : text;
      }
      if (isOver || now >= endsAt) return undefined;
      await wakeUp.wait(Math.min(heartbeatAt, askAt, endsAt) - now, gone.signal);
    }
  };

  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const text = await next().catch((error: unknown) => {
          if (gone.signal.aborted) return undefined;
          throw error;
        });
        if (gone.signal.aborted) return;
        if (text !== undefined) return controller.enqueue(encoder.encode(text));
        stop();
        controller.close();
      },
      cancel: stop,
    },
    // Events wait in the queue, whose bound counts them.
    { highWaterMark: 0 },
  );
  return streamedResponse(body, HEADERS);
}

/** Creates the queue of a stream: it keeps the newest events, and counts those that it drops. */
function createQueue({ lost }: Pick<StreamSource, 'lost'>) {
  let waiting: { readonly id: number; readonly event: StreamedEvent }[] = [];
  let pushed = 0;
  let dropped = 0;
  return {
    push(event: StreamedEvent) {
      pushed += 1;
      waiting.push({ id: pushed, event });
      if (waiting.length <= MOST_WAITING) return;
      waiting.shift();
      dropped += 1;
    },
    /** Returns the text of all events that wait, and forgets them. */
    take(): string {
      const texts = waiting.map(({ id, event }) => textOf(event, id));
      if (dropped > 0) texts.unshift(textOf(lost(dropped)));
      waiting = [];
      dropped = 0;
      return texts.join('');
    },
  };
}

function textOf(event: StreamedEvent, id?: number): string {
  // JSON has no line breaks outside of texts, and escapes those within.
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

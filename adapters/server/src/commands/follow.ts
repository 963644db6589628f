import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandIo } from '../command-io.ts';
import type { AdminRequest } from './operation.ts';
import type { Answer, RemoteStage } from './play.ts';

/** Pause before another connection, when the server has ended a stream. */
const RETRY_MS = 2_000;

/**
 * Prints each event of a stream as one line of JSON, until the output is closed; the connection is renewed when the server ends it.
 * @returns the problem of a request that is refused, undefined at the end
 * @throws CommandError when the server does not answer
 */
export async function follow(
  { open }: Pick<RemoteStage, 'open'>,
  request: AdminRequest,
  { stdout, stderr }: CommandIo,
  retryMs = RETRY_MS,
): Promise<Answer | undefined> {
  const closed = new AbortController();
  const close = () => closed.abort();
  // A reader such as `head` ends by closing the pipe.
  stdout.once('error', close);
  stdout.once('close', close);
  const { signal } = closed;
  try {
    while (!signal.aborted) {
      const answer = await open(request, signal);
      if (!('events' in answer)) return answer;
      for await (const event of answer.events) {
        if (!stdout.write(`${event}\n`)) await once(stdout, 'drain', { signal });
      }
      stderr.write('The server has ended the stream; connecting again.\n');
      await sleep(retryMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return undefined;
}

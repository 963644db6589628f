import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import type { AdminRequest } from './operation.ts';
import type { Answer, RemoteStage } from './play.ts';

/** Pause before another connection, when the server has ended a stream. */
const RETRY_MS = 2_000;
/** Attempts in a row that reach no server, a minute of them: a server that is started again needs some. */
const MOST_ATTEMPTS = 30;

/**
 * Prints each event of a stream as one line of JSON, until the output is closed; the connection is renewed when the server ends it,
 * also by a server that is started again.
 * @returns the problem of a request that is refused, undefined at the end
 * @throws CommandError when the server does not answer: at first, or a minute long
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
  let unreached = MOST_ATTEMPTS;
  try {
    while (!signal.aborted) {
      const answer = await open(request, signal).catch((error: unknown) => {
        unreached += 1;
        if (unreached > MOST_ATTEMPTS || !isUnreachable(error)) throw error;
        if (unreached === 1) stderr.write('The server does not answer; trying again.\n');
      });
      if (answer === undefined) {
        await sleep(retryMs, undefined, { signal });
        continue;
      }
      unreached = 0;
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

function isUnreachable(error: unknown): boolean {
  return error instanceof CommandError && error.code === 'Unreachable';
}

import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../command-error.ts';
import type { AdminRequest } from './operation.ts';
import type { Answer, Stage } from './play.ts';

/** Progress of background work that an operation has begun. */
interface Progress {
  /** For a person: one line. */
  readonly text: string;
  readonly isDone: boolean;
  /** The answer in place of the operation's own, once it is done. @default that of the operation */
  readonly body?: Answer['body'];
  /** Reason why the work failed. */
  readonly failure?: string;
}

interface Waiting {
  /** Help of `--wait`. */
  readonly summary: string;
  /** Path of the request that tells the progress, relative to the operation's own. */
  readonly path: (path: string, begun: Answer['body']) => string;
  readonly progress: (body: Answer['body']) => Progress;
  /** News when the object is not found any more; absent where that is an error. */
  readonly gone?: string;
}

/** Operations that go on in the background, by their ids. */
export const WAITING: Readonly<Record<string, Waiting>> = {
  deleteApplication: {
    summary: 'Wait until everything of the application is deleted.',
    path: (path) => path,
    gone: 'The application is deleted.',
    progress(body) {
      const left = Number(body['accountsLeft'] ?? 0);
      return { text: `${left} ${left === 1 ? 'account is' : 'accounts are'} left.`, isDone: false };
    },
  },
  syncAccount: {
    summary: 'Wait until every collection is pulled.',
    path: (path, { since }) => `${path}Health?since=${encodeURIComponent(String(since))}`,
    progress(body) {
      const progress = (body['progress'] ?? {}) as Answer['body'];
      const [total, done, failed] = ['total', 'done', 'failed'].map((name) => Number(progress[name] ?? 0));
      if (total === undefined || done === undefined || failed === undefined) throw new TypeError('no progress');
      const text = `${done} of ${total} collections are synced${failed === 0 ? '.' : `, ${failed} failed.`}`;
      if (done + failed < total) return { text, isDone: false };
      const failure = failed === 0 ? {} : { failure: `${failed} of ${total} collections failed; they are tried again` };
      return { text, isDone: true, body: progress, ...failure };
    },
  },
};

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
/** Without any progress for this long, no process may be doing background work. */
const QUIET_MS = 15_000;

/**
 * Waits for background work, and reports each step of it.
 * @returns the answer for the person or program that waits
 * @throws CommandError for work that fails
 */
export async function waitFor(
  { path, progress, gone }: Waiting,
  stage: Stage,
  request: AdminRequest,
  begun: Answer,
  report: (line: string) => void,
): Promise<Answer> {
  let told = '';
  let quietMs = 0;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const answer = await stage.play({ method: 'GET', path: path(request.path, begun.body), body: undefined });
    const isGone = answer.status === 404 && gone !== undefined;
    if (answer.status >= 400 && !isGone) return answer;
    const now: Progress = isGone ? { text: gone, isDone: true } : progress(answer.body);
    if (now.text !== told) {
      report(now.text);
      quietMs = 0;
    }
    told = now.text;
    if (now.failure !== undefined) throw new CommandError(now.failure, 1, 'Incomplete');
    if (now.isDone) return now.body === undefined ? begun : { ...begun, body: now.body };
    await sleep(pauseMs);
    if (quietMs < QUIET_MS && quietMs + pauseMs >= QUIET_MS) {
      report('Nothing has happened for a while. Is "kalends start" or "kalends work" running?');
    }
    quietMs += pauseMs;
  }
}

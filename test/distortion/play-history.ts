import { manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import type { Logger } from 'kalends/ports';
import { distortedAnswers } from '../interface/distorted-answers.ts';
import type { ProviderName } from '../interface/world.ts';
import { createInterceptedWorld } from '../regression/intercepted-world.ts';
import { dice } from '../simulation/dice.ts';
import { countingTraffic } from './counting-traffic.ts';
import { createHistory } from './history.ts';
import { fillMailbox } from './mailbox.ts';

const HOUR_MS = 3_600_000;
/** Log lines that a distortion may cause. */
const EXPECTED = new Set([
  'object set aside',
  'part of an object cannot be read',
  'a recurrence of Graph was not understood',
]);

export interface HistorySize {
  readonly rounds: number;
  /** Copies of each single event in the mailbox. */
  readonly copies: number;
}

/** The size of a history that was played. */
export interface Played {
  /** Objects that were distorted, each in every answer that showed it. */
  readonly objects: number;
  /** Answers of the provider that were changed. */
  readonly answers: number;
}

/** Plays the history of a seed. @throws Error naming the seed when anything but the distorted objects suffered */
export async function playHistory(
  provider: ProviderName,
  seed: number,
  { rounds, copies }: HistorySize,
): Promise<Played> {
  const clock = manualClock(Date.UTC(2027, 0, 1));
  const answers = distortedAnswers();
  const { logger, trouble, reconciled } = listener();
  // Each read pulls, and each background pull is followed by a reconciliation.
  const sync = { freshWithoutPushMs: 0.001, pollWithoutPushMs: HOUR_MS, reconcileEveryMs: 1, pushForReads: false };
  const storage = sqlite({ path: ':memory:', clock });
  const { world, network } = await createInterceptedWorld({ clock, logger, sync, storage }, { clock });
  const traffic = countingTraffic(answers.intercept);
  network.intercept = traffic.intercept;
  try {
    const mailbox = await fillMailbox(world, provider, copies);
    const pass = async (ms: number) => {
      await clock.advance(ms);
      await traffic.quiet();
    };
    const history = createHistory({ world, provider, answers, mailbox, dice: dice(seed), pass, reconciled });
    await history.begin();
    let objects = 0;
    for (let round = 0; round < rounds; round += 1) objects += await history.round();
    if (trouble.length > 0) throw new Error('the log tells of more than objects set aside');
    return { objects, answers: answers.distorted };
  } catch (error) {
    const replay = `npm run prove -- distortion ${provider} --from=${seed} --objects=1 --rounds=${rounds} --copies=${copies}`;
    const message = `${provider}, seed ${seed} (${replay}): ${(error as Error).message}`;
    throw new Error([message, ...trouble].join('\n'), { cause: error });
  } finally {
    await world.close();
  }
}

/** Notes what is logged beyond expectation, and tells of the next reconciliation. */
export function listener() {
  const trouble: string[] = [];
  let reconciled = () => {};
  const note = (message: string, fields: object = {}) => trouble.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = {
    debug: () => {},
    info(message) {
      if (message === 'reconciliation') reconciled();
    },
    warn(message, fields) {
      if (!EXPECTED.has(message)) note(message, fields);
      if (message === 'a reconciliation failed') reconciled();
    },
    error: note,
  };
  const next = () =>
    new Promise<void>((resolve) => {
      reconciled = resolve;
    });
  return { logger, trouble, reconciled: next };
}

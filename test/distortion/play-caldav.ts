import { manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { dice } from '../simulation/dice.ts';
import { createDavHistory, distortedTexts } from './caldav-history.ts';
import { createDavWorld, fillDavMailbox } from './caldav-mailbox.ts';
import { countingTraffic } from './counting-traffic.ts';
import { type HistorySize, listener, type Played } from './play-history.ts';

const HOUR_MS = 3_600_000;

/** Plays the history of a seed. @throws Error naming the seed when anything but the distorted objects suffered */
export async function playDavHistory(seed: number, { rounds, copies }: HistorySize): Promise<Played> {
  const clock = manualClock(Date.UTC(2027, 0, 1));
  const texts = distortedTexts();
  const { logger, trouble, reconciled } = listener();
  // Each read pulls, and each background pull is followed by a reconciliation.
  const sync = { freshWithoutPushMs: 0.001, pollWithoutPushMs: HOUR_MS, reconcileEveryMs: 1, pushForReads: false };
  const storage = sqlite({ path: ':memory:', clock });
  const traffic = countingTraffic(texts.intercept);
  const world = await createDavWorld({ clock, logger, sync, storage }, traffic.intercept);
  try {
    const mailbox = await fillDavMailbox(world, copies);
    const pass = async (ms: number) => {
      await clock.advance(ms);
      await traffic.quiet();
    };
    const history = await createDavHistory({ world, mailbox, texts, dice: dice(seed), pass, reconciled });
    let objects = 0;
    for (let round = 0; round < rounds; round += 1) objects += await history.round();
    if (trouble.length > 0) throw new Error('the log tells of more than objects set aside');
    return { objects, answers: texts.distorted };
  } catch (error) {
    const replay = `npm run prove -- distortion caldav --from=${seed} --objects=1 --rounds=${rounds} --copies=${copies}`;
    throw new Error([`caldav, seed ${seed} (${replay}): ${(error as Error).message}`, ...trouble].join('\n'), {
      cause: error,
    });
  } finally {
    await world.close();
  }
}

import { type EventPage, ProviderError } from '../ports/index.ts';
import { createId } from '../runtime/index.ts';
import { applyChanges } from './apply-changes.ts';
import { rereadPending } from './event-reread.ts';
import { sweepUnseen } from './event-sweep.ts';
import { openResumePoint, sealResumePoint } from './provider-token.ts';
import { commitPull, currentWrites, type EventPull, notifyChanged, type PullOutcome } from './pull-context.ts';
import { seenIn } from './seen-items.ts';

/** A write that holds a group is over, or given up, within seconds. */
const AGAIN_MS = 5_000;

/**
 * Brings a calendar's events up to date: incrementally from the stored token, else (and when the provider calls the token
 * dead) in full with mark and sweep. The first full pull enqueues no messages; one after a dead token tells
 * subscribers of a gap.
 * @throws ProviderError what the provider answered; KalendsError Conflict when the lease was lost
 */
export async function pullEvents(pull: EventPull): Promise<PullOutcome> {
  const stored = await pull.mirror.findProviderToken(pull.key);
  const resume = openResumePoint(stored, pull.provider.mappingVersion);
  // A complete mirror without a token lost it to a resync that did not come to its end.
  if (resume === undefined) return await pullFull(pull, stored === null && pull.state.completedAt !== null);
  try {
    return await pullIncrement(pull, resume.token, resume.fullAt);
  } catch (error) {
    if (!ProviderError.isInstance(error) || error.reason !== 'sync-token-expired') throw error;
    await commitPull(pull, [], { basedOn: pull.state.writes, providerToken: null });
    return await pullFull(pull, pull.state.completedAt !== null);
  }
}

/**
 * Compares a calendar with the provider as a whole, in a sweep that has been started: what no incremental feed tells
 * (deletions outside of Graph's window, a change that was lost) comes in with it. No gap, and nothing is written where
 * nothing differs. Pulls of the calendar may go on meanwhile.
 * @throws ProviderError what the provider answered; KalendsError Conflict when the lease was lost
 */
export async function deepCheckEvents(pull: EventPull, generation: number): Promise<PullOutcome> {
  const { providerToken, ...outcome } = await passWhole(pull, generation);
  // A full resync that began meanwhile has taken the sweep over, and the word on where to resume is its own.
  if (await pull.mirror.endSweep(pull.key, generation)) {
    await commitPull(pull, [], { basedOn: await currentWrites(pull), providerToken });
  }
  return outcome;
}

async function pullIncrement(pull: EventPull, token: string | null, fullAt: number): Promise<PullOutcome> {
  let changed = 0;
  await eachPage(pull, token, async (page, basedOn) => {
    const { nextToken } = page;
    const done = nextToken === undefined ? {} : { providerToken: resumePoint(pull, nextToken, fullAt) };
    changed += await applyChanges(pull, page.changes, { basedOn, ...done });
  });
  const reread = await rereadPending(pull);
  return { changed: changed + reread.changed, fullAt, ...again(reread.isLeft) };
}

async function pullFull(pull: EventPull, isGap: boolean): Promise<PullOutcome> {
  const { mirror, key, random } = pull;
  const { generation } = await mirror.startSweep(key, pull.lease);
  const { providerToken, ...outcome } = await passWhole(pull, generation);
  const gap = { eventType: 'calendar.event.unknown', messageId: () => createId(random, 'msg'), always: true } as const;
  await commitPull(pull, [], {
    basedOn: await currentWrites(pull),
    providerToken,
    complete: true,
    ...(isGap ? { notify: gap } : {}),
  });
  await mirror.endSweep(key, generation);
  return outcome;
}

/** Mark and sweep: everything there is, then the end of what was not there. */
async function passWhole(
  pull: EventPull,
  generation: number,
): Promise<PullOutcome & { readonly providerToken: string }> {
  const fullAt = pull.clock.now();
  let changed = 0;
  let nextToken = '';
  await eachPage(pull, null, async (page, basedOn) => {
    changed += await applyChanges(pull, page.changes, { basedOn, seen: seenIn(page.changes, generation) });
    nextToken = page.nextToken ?? nextToken;
  });
  const reread = await rereadPending(pull, generation);
  changed += reread.changed + (await sweepUnseen(pull, generation));
  return { changed, fullAt, providerToken: resumePoint(pull, nextToken, fullAt), ...again(reread.isLeft) };
}

/** Applies every page as it arrives, each based on the revision noted before it was asked for. */
async function eachPage(
  pull: EventPull,
  token: string | null,
  apply: (page: EventPage, basedOn: number) => Promise<void>,
): Promise<void> {
  const pages = pull.provider.events.pull(pull.session, pull.calendar, token)[Symbol.asyncIterator]();
  let isComplete = false;
  let zoneIsKnown = false;
  try {
    for (;;) {
      const basedOn = await currentWrites(pull);
      const next = await pages.next();
      if (next.done === true) break;
      const page = next.value;
      isComplete = page.nextToken !== undefined;
      if (page.calendarTimeZone !== undefined) {
        zoneIsKnown = true;
        await commitZone(pull, page.calendarTimeZone, basedOn);
      } else if (isComplete && !zoneIsKnown) {
        await commitZone(pull, pull.calendar.timeZone, basedOn);
      }
      await apply(page, basedOn);
    }
  } finally {
    await pages.return?.(undefined);
  }
  if (!isComplete) throw new ProviderError('malformed', 'the last page of a pull names no resume point');
}

/** The zone goes first, so that the page's events are never read in the old one. */
async function commitZone(pull: EventPull, timeZone: string, basedOn: number): Promise<void> {
  const state = await pull.mirror.find(pull.key);
  if (state === undefined || state.timeZone === timeZone) return;
  await commitPull(pull, [], { basedOn, timeZone, ...notifyChanged(pull) });
}

function again(isLeft: boolean): Pick<PullOutcome, 'againMs'> {
  return isLeft ? { againMs: AGAIN_MS } : {};
}

function resumePoint(pull: EventPull, token: string, fullAt: number): string {
  return sealResumePoint({ mappingVersion: pull.provider.mappingVersion, fullAt, token });
}

import { listKeyOf } from '../mirror/index.ts';
import { type EventPage, ProviderError } from '../ports/index.ts';
import { createId } from '../runtime/index.ts';
import { applyChanges } from './apply-changes.ts';
import { mirroredIds } from './mirrored-ids.ts';
import { mirroredTags } from './mirrored-tags.ts';
import {
  commitPull,
  currentRevision,
  currentWriteCount,
  type EventPull,
  notifyChanged,
  type PullOutcome,
} from './pull-context.ts';
import { reconcileTags } from './reconcile-tags.ts';
import { rereadPending } from './reread-pending.ts';
import { openResumePoint, sealResumePoint, sealUnfinished } from './resume-point.ts';
import { seenIn } from './seen-items.ts';
import { sweepUnseen } from './sweep-unseen.ts';
import { wholeObjects } from './whole-objects.ts';

/** Wait before another pull: a write that holds a group ends, or is given up, within seconds. */
const AGAIN_MS = 5_000;
/** Re-reads listed at the start of a pull; notifications rarely name more objects between two pulls. */
const REREADS_LISTED = 100;

/**
 * Brings a calendar's events up to date: incrementally from the stored token, or, without one or after its expiry, in full
 * with mark and sweep. The first full pull enqueues no messages, unless the calendar joined a list that had been complete; one
 * after an expired token tells subscribers of a gap.
 * @throws ProviderError the provider's answer; NewerMappingError; KalendsError Conflict when the lease was lost
 */
export async function pullEvents(pull: EventPull): Promise<PullOutcome> {
  const resume = findResume(pull);
  if (resume === undefined) {
    // A complete mirror has no token when a full resync was interrupted.
    const isInterrupted = pull.providerToken === null;
    if (!isInterrupted) await noteUnfinished(pull);
    return await pullFull(pull, isInterrupted && pull.state.completedAt !== null);
  }
  if (pull.namedOnly) return await pullNamed(pull, resume);
  try {
    return await pullIncrement(pull, resume.token, resume);
  } catch (error) {
    if (!ProviderError.isInstance(error) || error.reason !== 'sync-token-expired') throw error;
    await commitPull(pull, [], { basedOn: pull.state.writeCount, providerToken: null });
    return await pullFull(pull, pull.state.completedAt !== null);
  }
}

/**
 * Returns where to resume. An earlier version passes in full beside this one and leaves the resume point until its end: where
 * such a pass may have been cut short, a reconciliation is due.
 */
function findResume({ providerToken, provider, isSweeping }: EventPull): ReturnType<typeof openResumePoint> {
  const resume = openResumePoint(providerToken, provider.mappingVersion);
  return resume && isSweeping ? { ...resume, fullAt: 0 } : resume;
}

/**
 * Compares a whole calendar with the provider, in a sweep that has been started. It finds changes that incremental feeds do
 * not report: deletions outside of Graph's window, and lost changes. It announces no gap, and writes only differences. Pulls
 * of the calendar may run at the same time.
 * @throws ProviderError the provider's answer; KalendsError Conflict when the lease was lost
 */
export async function reconcileEvents(pull: EventPull, generation: number): Promise<PullOutcome> {
  if (pull.provider.events.listTags !== undefined) return await reconcileTags(pull, generation);
  const { providerToken, ...outcome } = await passWhole(pull, generation);
  // A full resync that started meanwhile has taken the sweep over, and stores its own resume point.
  if (await pull.mirror.endSweep(pull.key, generation)) {
    await commitPull(pull, [], { basedOn: await currentWriteCount(pull), providerToken });
  }
  return outcome;
}

async function pullIncrement(
  pull: EventPull,
  token: string | null,
  full: Pick<PullOutcome, 'fullAt' | 'fullPages'>,
): Promise<PullOutcome> {
  let listed = 0;
  let completeAt: number | undefined;
  let isUnasked = false;
  let hasChanges = false;
  let providerToken: string | undefined;
  // Listed before the feed is asked: an object named later may have changed since the feed answered.
  const pendingRereads = pull.hasRereads ? await pull.mirror.listRereads(pull.key, REREADS_LISTED) : [];
  await eachPage(pull, token, pull.state.writeCount, async (page, basedOn) => {
    const { nextToken } = page;
    completeAt = page.completeAt ?? completeAt;
    isUnasked ||= page.isUnasked === true;
    hasChanges ||= page.changes.length > 0;
    if (!hasChanges && !pull.hasRereads) {
      // Nothing follows but the end of the pull, which stores it.
      if (nextToken !== undefined) providerToken = resumePoint(pull, nextToken, full);
      return;
    }
    const done = nextToken === undefined ? {} : { providerToken: resumePoint(pull, nextToken, full) };
    const wholeIds = wholeObjects(page.changes);
    const rereadDone = pendingRereads.filter(({ itemId }) => wholeIds.has(itemId));
    listed += await applyChanges(pull, page.changes, { basedOn, rereadDone, ...done });
  });
  // Objects that a push names meanwhile are left to the pull that it makes due.
  const reread = hasChanges || pull.hasRereads ? await rereadPending(pull) : { changed: 0, isLeft: false };
  const { fullAt, fullPages } = full;
  const changed = listed + reread.changed;
  const complete = completeAt === undefined ? {} : { completeAt };
  const pending = providerToken === undefined ? {} : { providerToken };
  return { changed, listed, isUnasked, ...complete, ...pending, fullAt, fullPages, ...again(reread.isLeft) };
}

/** Reads the objects that pushes have named: one call each, where the feed of changes takes several. */
async function pullNamed(
  pull: EventPull,
  { fullAt, fullPages }: Pick<PullOutcome, 'fullAt' | 'fullPages'>,
): Promise<PullOutcome> {
  const { changed, isLeft } = await rereadPending(pull);
  return { changed, listed: 0, isPartial: true, fullAt, fullPages, ...again(isLeft) };
}

async function pullFull(pull: EventPull, isGap: boolean): Promise<PullOutcome> {
  const { mirror, key, random } = pull;
  const { generation } = await mirror.startSweep(key, pull.lease);
  const { providerToken, ...outcome } = await passWhole(pull, generation);
  const gap = {
    eventType: 'calendar.event.unknown',
    messageId: () => createId(random, 'msg'),
    always: true,
    late: isGap,
  } as const;
  await commitPull(pull, [], {
    basedOn: await currentWriteCount(pull),
    providerToken,
    complete: true,
    ...(isGap || (await hasNewEvents(pull)) ? { notify: gap } : {}),
  });
  await mirror.endSweep(key, generation);
  return outcome;
}

/** Has earlier versions leave the calendar alone from now on. A token of null would announce a gap at the end. */
async function noteUnfinished(pull: EventPull): Promise<void> {
  const providerToken = sealUnfinished(pull.provider.mappingVersion);
  await commitPull(pull, [], { basedOn: pull.state.writeCount, providerToken });
}

/**
 * Returns whether a first pull has found events of a calendar that was added to a complete list: a subscription to the whole
 * account covers them, and no message has told of them.
 */
async function hasNewEvents(pull: EventPull): Promise<boolean> {
  const { mirror, key, state } = pull;
  if (state.completedAt !== null || key.calendarId === null) return false;
  const listKey = listKeyOf(key);
  const [list, listed] = [await mirror.find(listKey), await mirror.findItem(listKey, key.calendarId)];
  const since = listed && (await mirror.findRevision(listKey, listed.fromRevision));
  if (since === undefined || since.at <= (list?.completedAt ?? since.at)) return false;
  const asOf = await currentRevision(pull);
  return (await mirror.listGroups(key, { asOf, limit: 1 })).length > 0;
}

/** Reads the whole calendar with mark and sweep: applies each page, then removes the items that were not listed. */
async function passWhole(
  pull: EventPull,
  generation: number,
): Promise<PullOutcome & { readonly providerToken: string }> {
  const fullAt = pull.clock.now();
  let changed = 0;
  let nextToken = '';
  let fullPages = 0;
  await eachPage(pull, null, await currentWriteCount(pull), async (page, basedOn) => {
    if (page.changes.length > 0) fullPages += 1;
    changed += await applyChanges(pull, page.changes, { basedOn, seen: seenIn(page.changes, generation) });
    nextToken = page.nextToken ?? nextToken;
  });
  const reread = await rereadPending(pull, generation);
  changed += reread.changed + (await sweepUnseen(pull, generation));
  const full = { fullAt, fullPages };
  const providerToken = resumePoint(pull, nextToken, full);
  return { changed, listed: 0, ...full, providerToken, ...again(reread.isLeft) };
}

/**
 * Applies each page as it arrives, based on the write count noted before its requests.
 * @param writeCount the one noted before the first request
 */
async function eachPage(
  pull: EventPull,
  token: string | null,
  writeCount: number,
  apply: (page: EventPage, basedOn: number) => Promise<void>,
): Promise<void> {
  const known = {
    tagsOf: (ids: readonly string[]) => mirroredTags(pull, ids),
    listIds: () => mirroredIds(pull),
    failures: pull.failures,
    ...(pull.askedSince === undefined ? {} : { askedSince: pull.askedSince }),
    ...(pull.sharedSince === undefined ? {} : { sharedSince: pull.sharedSince }),
  };
  const pages = pull.provider.events.pull(pull.session, pull.calendar, token, known)[Symbol.asyncIterator]();
  let isComplete = false;
  let zoneIsKnown = false;
  let now = writeCount;
  try {
    for (let isFirst = true; ; isFirst = false) {
      const before = now;
      // A provider whose pages have no end may not heed the signal itself.
      if (!isComplete) pull.session.signal?.throwIfAborted();
      if (!isFirst && !isComplete) now = await currentWriteCount(pull);
      const next = await pages.next();
      if (next.done === true) break;
      const page = next.value;
      const basedOn = page.isAskedAhead === true ? before : now;
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
  if (!isComplete) throw new ProviderError('malformed', 'the last page of a pull has no resume point');
}

/** Commits the zone before the page's events, so that they are never read in the old zone. */
async function commitZone(pull: EventPull, timeZone: string, basedOn: number): Promise<void> {
  if (timeZone === pull.state.timeZone) return;
  const state = await pull.mirror.find(pull.key);
  if (state === undefined || state.timeZone === timeZone) return;
  await commitPull(pull, [], { basedOn, timeZone, ...notifyChanged(pull) });
}

function again(isLeft: boolean): Pick<PullOutcome, 'againMs'> {
  return isLeft ? { againMs: AGAIN_MS } : {};
}

function resumePoint(
  pull: EventPull,
  token: string,
  { fullAt, fullPages }: Pick<PullOutcome, 'fullAt' | 'fullPages'>,
): string {
  return sealResumePoint({ mappingVersion: pull.provider.mappingVersion, fullAt, fullPages, token });
}

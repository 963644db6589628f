import { calendarWrite, deletion, unreadableOfCalendars } from '../mirror/index.ts';
import {
  type CalendarChange,
  type CalendarPage,
  type CollectionKey,
  ProviderError,
  type Reread,
  type Storage,
} from '../ports/index.ts';
import { createId, inParallel, randomHex } from '../runtime/index.ts';
import { commitPull, currentWriteCount, type EventPull, notifyChanged, type PullOutcome } from './pull-context.ts';
import { openResumePoint, sealResumePoint } from './resume-point.ts';

/** A pull of an account's calendar list. */
export type CalendarPull = Omit<EventPull, 'calendar' | 'namedOnly' | 'failures'> & {
  readonly schedule: Storage['schedule'];
};

/** Interval of full reads of the list: Google does not report changes of read-only fields incrementally. */
const FULL_EVERY_MS = 86_400_000;
const BATCH = 200;
/** A calendar counts as deleted when a complete list still lacks it after this time and its own GET returns 404. */
const ABSENCE_MS = 600_000;

/**
 * Brings an account's calendar list up to date. A calendar that is no longer listed leaves the list at once. Its events,
 * channel and subscriptions are kept until its deletion is certain, so that a wrong answer destroys nothing.
 * @throws ProviderError the provider's answer; KalendsError Conflict when the lease was lost
 */
export async function pullCalendars(pull: CalendarPull): Promise<PullOutcome> {
  const { mirror, key, provider, clock } = pull;
  const resume = openResumePoint(pull.providerToken, provider.mappingVersion);
  // A full read that was cut short may have been of another mapping.
  const isOld = resume === undefined || pull.isSweeping || clock.now() - resume.fullAt >= FULL_EVERY_MS;
  // A change that crossed with our own write may lie before the resume point: only a full read is certain to show it.
  const crossed = pull.hasRereads ? await mirror.listRereads(key, BATCH) : [];
  // Incremental changes do not show which calendars are still missing.
  const hasMissing = (await pull.schedule.listMissing(key)).length > 0;
  if (isOld || crossed.length > 0 || hasMissing || resume.token === null)
    return await pullList(pull, null, clock.now(), crossed);
  try {
    return await pullList(pull, resume.token, resume.fullAt, crossed);
  } catch (error) {
    if (!ProviderError.isInstance(error) || error.reason !== 'sync-token-expired') throw error;
    return await pullList(pull, null, clock.now(), crossed);
  }
}

async function pullList(
  pull: CalendarPull,
  token: string | null,
  fullAt: number,
  crossed: readonly Reread[],
): Promise<PullOutcome> {
  const { mirror, key, provider, session } = pull;
  const startedAt = pull.clock.now();
  const sweep = token === null ? await mirror.startSweep(key, pull.lease) : undefined;
  let changed = 0;
  let isFull = false;
  let isUnasked = false;
  let nextToken: string | null | undefined;
  const unlisted = new Map(crossed.map((entry) => [entry.itemId, entry]));
  const pages = provider.calendars.pull(session, token)[Symbol.asyncIterator]();
  try {
    for (;;) {
      session.signal?.throwIfAborted();
      const basedOn = await currentWriteCount(pull);
      const next = await pages.next();
      if (next.done === true) break;
      isFull = next.value.full;
      nextToken = next.value.nextToken;
      isUnasked ||= next.value.isUnasked === true;
      const listed = new Set(idsOf(next.value));
      const rereadDone = crossed.filter(({ itemId }) => listed.has(itemId) && unlisted.delete(itemId));
      changed += await applyPage(pull, next.value, { basedOn, rereadDone }, sweep?.generation);
    }
  } finally {
    await pages.return?.(undefined);
  }
  if (nextToken === undefined) throw new ProviderError('malformed', 'the last page of a pull has no resume point');
  if (sweep !== undefined && isFull) changed += await removeUnseen(pull, sweep.generation);
  const missingMs = await settleMissing(pull, isFull ? startedAt : undefined);
  const providerToken = sealResumePoint({
    mappingVersion: provider.mappingVersion,
    fullAt,
    fullPages: 1,
    token: nextToken,
  });
  const basedOn = await currentWriteCount(pull);
  await commitPull(pull, [], { basedOn, providerToken, rereadDone: [...unlisted.values()], complete: true });
  if (sweep !== undefined) await mirror.endSweep(key, sweep.generation);
  // A change that crossed with our own write is not reported again: pull once more.
  const isCrossed = (await mirror.listRereads(key, 1)).length > 0;
  const againMs = isCrossed ? 0 : missingMs;
  // A full list also shows changes that no push announces, such as a rename by another owner.
  const listed = isFull ? 0 : changed;
  return { changed, listed, isUnasked, fullAt, fullPages: 1, ...(againMs === undefined ? {} : { againMs }) };
}

function idsOf({ changes }: CalendarPage): readonly string[] {
  return changes.map(idOf);
}

function idOf(change: CalendarChange): string {
  return change.kind === 'calendar' ? change.calendar.id : change.calendarId;
}

async function applyPage(
  pull: CalendarPull,
  page: CalendarPage,
  reading: { readonly basedOn: number; readonly rereadDone: readonly Reread[] },
  generation: number | undefined,
): Promise<number> {
  const { mappingVersion } = pull.provider;
  const writes = page.changes.flatMap((change) => {
    if (change.kind === 'calendar') return [calendarWrite(change.calendar, mappingVersion)];
    // The last good version of an unreadable entry stays.
    return change.kind === 'deleted' ? [deletion(change.calendarId, change.calendarId, mappingVersion)] : [];
  });
  const itemIds = page.changes.filter(({ kind }) => kind !== 'deleted').map(idOf);
  const unreadable = unreadableOfCalendars(page.changes);
  const seen = generation === undefined ? {} : { seen: { generation, itemIds } };
  const found = unreadable === undefined ? {} : { unreadable };
  await noteMissing(pull, await relisted(pull, itemIds));
  const changed = await commitPull(pull, writes, { ...reading, ...seen, ...found, ...notifyChanged(pull) });
  const gone = page.changes.flatMap((change) => (change.kind === 'deleted' ? [change.calendarId] : []));
  await noteMissing(pull, gone);
  return changed.length;
}

/** Removes calendars that a full list lacks, after a GET of each confirms it: a list with a gap must not delete any. */
async function removeUnseen(pull: CalendarPull, generation: number): Promise<number> {
  const { mirror, key, provider, session } = pull;
  let changed = 0;
  for (let after: string | undefined; ; ) {
    const position = after === undefined ? {} : { after };
    const basedOn = await currentWriteCount(pull);
    const unseen = await mirror.listUnseen(key, { generation, limit: BATCH, ...position });
    const gone: string[] = [];
    await inParallel(unseen, async ({ itemId }) => {
      if (!(await provider.calendars.exists(session, itemId))) gone.push(itemId);
    });
    const writes = gone.map((id) => deletion(id, id, provider.mappingVersion));
    const removed = await commitPull(pull, writes, { basedOn, ...notifyChanged(pull) });
    await noteMissing(pull, removed);
    changed += removed.length;
    const last = unseen.at(-1);
    if (last === undefined || unseen.length < BATCH) return changed;
    after = last.itemId;
  }
}

/**
 * Returns the calendars that nothing makes due and that the mirrored list lacks: each was missing until its own GET found it. Noted
 * as missing before they are listed again, they are restored even if this process dies in between.
 */
async function relisted(
  { schedule, mirror, key }: CalendarPull,
  listed: readonly string[],
): Promise<readonly string[]> {
  if (listed.length === 0) return [];
  const ids: string[] = [];
  for (const { calendarId, dueAt } of await schedule.list(key)) {
    const isIdle = calendarId !== null && dueAt === null && listed.includes(calendarId);
    if (isIdle && (await mirror.findItem(key, calendarId)) === undefined) ids.push(calendarId);
  }
  return ids;
}

async function noteMissing({ schedule, key, clock }: CalendarPull, calendarIds: readonly string[]): Promise<void> {
  for (const calendarId of calendarIds) await schedule.noteMissing({ ...key, calendarId }, clock.now());
}

/**
 * Removes calendars whose deletion is certain, and restores those that are listed again. Returns the time until the list must
 * be read again, undefined when no calendar is missing.
 * @param listedAt start of a complete list, undefined after an incremental pull
 */
async function settleMissing(pull: CalendarPull, listedAt: number | undefined): Promise<number | undefined> {
  const { mirror, schedule, provider, session, clock, random } = pull;
  let againMs: number | undefined;
  for (const { calendarId, since } of await schedule.listMissing(pull.key)) {
    const key = { ...pull.key, calendarId };
    if ((await mirror.findItem(pull.key, calendarId)) !== undefined) {
      await restore(pull, key);
    } else if (listedAt === undefined || listedAt - since < ABSENCE_MS) {
      const leftMs = Math.max(0, since + ABSENCE_MS - clock.now());
      // The next list may be as incomplete as this one.
      const waitMs = leftMs === 0 && listedAt === undefined ? ABSENCE_MS : leftMs;
      againMs = Math.min(againMs ?? ABSENCE_MS, waitMs);
    } else if (await provider.calendars.exists(session, calendarId)) {
      await schedule.noteFound(key);
    } else {
      // While this process stood still, another one may have found it listed again.
      await mirror.remove(key, { at: clock.now(), messageId: () => createId(random, 'msg'), lease: pull.lease });
      pull.enqueued();
    }
  }
  return againMs;
}

/** Has a calendar that is listed again resynced in full: the account's access may have changed without any notice. */
async function restore({ mirror, schedule, clock, random }: CalendarPull, key: CollectionKey): Promise<void> {
  const state = await mirror.find(key);
  if (state !== undefined) {
    const part = { basedOn: state.writeCount, at: clock.now(), tag: randomHex(random) };
    await mirror.commit(key, { writes: [], ...part, providerToken: null });
  }
  await schedule.noteFound(key);
  await schedule.hint(key);
}

import { storedEvent } from '../mirror/index.ts';
import type { EventTag, ItemVersion, UnreadablePlace } from '../ports/index.ts';
import { inParallel } from '../runtime/index.ts';
import { applyChanges } from './apply-changes.ts';
import { commitPull, currentWriteCount, type EventPull, type PullOutcome } from './pull-context.ts';
import { rereadPending } from './reread-pending.ts';
import { openResumePoint, sealResumePoint } from './resume-point.ts';
import { seenIn } from './seen-items.ts';
import { sweepUnseen } from './sweep-unseen.ts';

/** Items marked in one commit. */
const BATCH = 500;

/**
 * Compares a whole calendar with the provider by the tags of its events, in a sweep that has been started: reads the events
 * whose tag differs, and confirms the removal of those that are not listed. The resume point of the pulls stays.
 * @throws ProviderError the provider's answer; KalendsError Conflict when the lease was lost
 */
export async function reconcileTags(pull: EventPull, generation: number): Promise<PullOutcome> {
  const fullAt = pull.clock.now();
  let changed = 0;
  let fullPages = 0;
  const unreadable = await unreadableGroups(pull);
  for await (const page of pull.provider.events.listTags?.(pull.session, pull.calendar) ?? []) {
    // A provider whose pages have no end may not heed the signal itself.
    pull.session.signal?.throwIfAborted();
    fullPages += 1;
    for (let at = 0; at < page.length; at += BATCH) {
      changed += await compare(pull, page.slice(at, at + BATCH), generation, unreadable);
    }
  }
  const reread = await rereadPending(pull, generation);
  changed += reread.changed + (await sweepUnseen(pull, generation));
  // A full resync that started meanwhile has taken the sweep over, and stores its own resume point.
  if (await pull.mirror.endSweep(pull.key, generation)) await noteFullPass(pull, { fullAt, fullPages });
  return { changed, listed: 0, fullAt, fullPages, ...(reread.isLeft ? { againMs: 0 } : {}) };
}

/** Returns the groups with an unreadable object, which are read again even if their tag is the same. */
async function unreadableGroups({ mirror, key }: EventPull): Promise<ReadonlySet<string>> {
  const groups = new Set<string>();
  for (let after: UnreadablePlace | undefined; ; ) {
    const position = after === undefined ? {} : { after };
    const rows = await mirror.listUnreadable(key.applicationId, key.accountId, { ...position, limit: BATCH });
    for (const { calendarId, groupId } of rows) if (calendarId === key.calendarId) groups.add(groupId);
    after = rows.at(-1)?.place;
    if (after === undefined || rows.length < BATCH) return groups;
  }
}

async function compare(
  pull: EventPull,
  tags: readonly EventTag[],
  generation: number,
  unreadable: ReadonlySet<string>,
): Promise<number> {
  const { mirror, key, provider } = pull;
  const basedOn = await currentWriteCount(pull);
  const { revision } = (await mirror.find(key)) ?? pull.state;
  const groups = new Map<string, ItemVersion[]>();
  for (const item of await mirror.readGroups(
    key,
    tags.map(({ providerEventId }) => providerEventId),
    revision,
  )) {
    groups.set(item.groupId, [...(groups.get(item.groupId) ?? []), item]);
  }
  const isSame = ({ providerEventId, providerTag }: EventTag) => {
    const group = groups.get(providerEventId) ?? [];
    if (group.length === 0 || providerTag === null || unreadable.has(providerEventId)) return false;
    const master = group.find(({ itemId }) => itemId === providerEventId);
    // Invitations to single occurrences have no master: where they are one object, its tag is theirs.
    const stored = master === undefined ? group : [master];
    return stored.every((item) => item.providerTag === providerTag && item.mappingVersion === provider.mappingVersion);
  };
  const same = tags.filter(isSame).flatMap(({ providerEventId }) => groups.get(providerEventId) ?? []);
  for (let at = 0; at < same.length; at += BATCH) {
    const itemIds = same.slice(at, at + BATCH).map(({ itemId }) => itemId);
    await commitPull(pull, [], { basedOn, seen: { generation, itemIds } });
  }
  let changed = 0;
  await inParallel(
    tags.filter((tag) => !isSame(tag)),
    async ({ providerEventId }) => {
      const item = groups.get(providerEventId)?.find(({ itemId }) => itemId === providerEventId);
      const made = await readAgain(pull, providerEventId, item, generation);
      changed += made;
    },
  );
  return changed;
}

async function readAgain(
  pull: EventPull,
  providerEventId: string,
  item: ItemVersion | undefined,
  generation: number,
): Promise<number> {
  const basedOn = await currentWriteCount(pull);
  const isSeries = item !== undefined && storedEvent(item).content?.recurrence != null;
  const changes = await pull.provider.events.get(pull.session, pull.calendar, providerEventId, { isSeries });
  return await applyChanges(pull, changes, { basedOn, seen: seenIn(changes, generation) }, item);
}

/** Notes the pass beside the resume point, which pulls may have moved meanwhile; without one, a full pull is due anyway. */
async function noteFullPass(pull: EventPull, full: Pick<PullOutcome, 'fullAt' | 'fullPages'>): Promise<void> {
  const { mappingVersion } = pull.provider;
  const resume = openResumePoint(await pull.mirror.findProviderToken(pull.key), mappingVersion);
  if (resume === undefined) return;
  const providerToken = sealResumePoint({ mappingVersion, token: resume.token, ...full });
  await commitPull(pull, [], { basedOn: await currentWriteCount(pull), providerToken });
}

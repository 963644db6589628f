import type { Engine } from 'kalends';
import type { EventListQuery } from 'kalends/model';
import { randomEdit } from './acts-of-people.ts';
import { FIRST_DAY } from './edit.ts';
import { type Follower, follower, linesOf, readWhole } from './mirrored.ts';
import { addressOf, callerOf, keyOf, type Simulation } from './simulation-state.ts';
import { engineOn, SYNC } from './world.ts';

const DAY_MS = 86_400_000;

/** The window of the final comparison. */
const FROM = FIRST_DAY - 30 * DAY_MS;

const TO = FIRST_DAY + 1100 * DAY_MS;

/** A poll without push, at its latest, of an account that was throttled again and again in the storm: eight times slower. */
const SLOWEST_POLL_MS = 8 * 1.25 * SYNC.pollWithoutPushMs! + 8_000;

const WIDE: EventListQuery = {
  expandRecurrences: 'true',
  startDateTime: new Date(FROM).toISOString(),
  endDateTime: new Date(TO).toISOString(),
  limit: '1000',
};

/** An engine that pulls nothing: what it answers is the mirror as it is. */
export function observerOf({ world, storage }: Simulation): Engine {
  const never = 366 * DAY_MS;
  return engineOn({
    storage,
    fetch: async () => {
      throw new TypeError('the observer sends no request');
    },
    clock: world.time,
    seed: 1,
    sync: { freshWithPushMs: never, freshWithoutPushMs: never },
  });
}

/**
 * Where the provider still keeps something from the engines, all the rest is right: the mirror has everything that a calendar
 * with a refused feed shows, though not yet every removal, and differs in no event that can be read. Only what could not be
 * read is set aside.
 */
export async function compareApart(simulation: Simulation): Promise<void> {
  const { world, habits, refusedFeeds, failures } = simulation;
  const { unreadable } = habits;
  if (refusedFeeds.size === 0 && unreadable === undefined) return;
  const observer = observerOf(simulation);
  const isApart = (line: string) => unreadable?.groupIds.has(line.slice(0, line.indexOf(' | '))) === true;
  for (const calendar of [0, 1] as const) {
    const mirrored = await world.time.until(readWhole(observer, addressOf(simulation, calendar), WIDE));
    const actual = linesOf(mirrored.data).filter((line) => !isApart(line));
    const expected = (await world.person.occurrences(calendar, FROM, TO)).filter((line) => !isApart(line));
    const isRefused = refusedFeeds.has(world.person.calendarIds[calendar]);
    const shown = isRefused ? actual.filter((line) => expected.includes(line)) : actual;
    const difference = differenceOf(expected, shown);
    if (difference !== undefined)
      failures.push(`calendar ${calendar} differs in what the provider shows:\n${difference}`);
  }
  const { data } = await observer.accounts.listUnreadable(callerOf(simulation), world.accountId, {});
  const sound = data.filter(({ objectId }) => objectId === null || unreadable?.everIds.has(objectId) !== true);
  for (const { objectId, reason } of sound) failures.push(`${objectId} was set aside: ${reason}`);
}

/** The mirror equals the provider, and every follower's copy a fresh list. */
export async function compare(simulation: Simulation): Promise<void> {
  const { world, followers, failures, log } = simulation;
  log.quiet();
  const observer = log.logged(observerOf(simulation));
  for (const calendar of [0, 1] as const) {
    const mirrored = await world.time.until(readWhole(observer, addressOf(simulation, calendar), WIDE));
    const expected = await world.person.occurrences(calendar, FROM, TO);
    const difference = differenceOf(expected, linesOf(mirrored.data));
    if (difference !== undefined) failures.push(`calendar ${calendar} differs from the provider:\n${difference}`);
  }
  for (const { calendar, follower: client } of followers) {
    const address = addressOf(simulation, calendar);
    client.apply(await world.time.until(readWhole(observer, address, { ...client.next(), limit: '4' })));
    const fresh = follower(client.query);
    fresh.apply(await world.time.until(readWhole(observer, address, client.query)));
    const texts = (held: Follower['held']) => [...held.values()].map((event) => JSON.stringify(event)).sort();
    const difference = differenceOf(texts(fresh.held), texts(client.held));
    if (difference !== undefined) {
      failures.push(
        `a client of ${JSON.stringify(client.query)} holds something else than a fresh list:\n${difference}`,
      );
    }
  }
}

function differenceOf(expected: readonly string[], actual: readonly string[]): string | undefined {
  const missing = expected.filter((line) => !actual.includes(line)).map((line) => `  missing: ${line}`);
  const surplus = actual.filter((line) => !expected.includes(line)).map((line) => `  surplus: ${line}`);
  if (missing.length + surplus.length > 0) return [...missing, ...surplus].join('\n');
  return expected.length === actual.length ? undefined : `  ${actual.length} records instead of ${expected.length}`;
}

/** Pulls of unchanged calendars write nothing and send nothing. */
export async function checkStillness(simulation: Simulation): Promise<void> {
  const { world, storage, failures } = simulation;
  const revisions = async () =>
    await Promise.all(
      world.person.calendarIds.map(async (id) => (await storage.mirror.find(keyOf(simulation, id)))?.revision),
    );
  await takeMessages(simulation);
  const before = await revisions();
  await world.time.pass(200_000);
  const after = await revisions();
  if (before.join() !== after.join()) failures.push(`revisions went from ${before} to ${after} without a change`);
  const messages = await takeMessages(simulation);
  if (messages.length > 0) failures.push(`messages without a change: ${messages}`);
}

/** In fair weather a push is enough: the change is there long before the next poll, and its message too. CalDAV is polled. */
export async function checkPromptness(simulation: Simulation): Promise<void> {
  const { world, failures, history, dice: source } = simulation;
  if (simulation.hasLostChannels) return;
  const change = { ...randomEdit(source, `last${history.length}`), kind: 'single', day: 3 } as const;
  await world.person.edit(change, 0);
  await world.time.pass(world.provider === 'caldav' ? SLOWEST_POLL_MS : 8_000);
  const mirrored = await world.time.until(readWhole(observerOf(simulation), addressOf(simulation, 0), WIDE));
  const difference = differenceOf(await world.person.occurrences(0, FROM, TO), linesOf(mirrored.data));
  if (difference !== undefined)
    failures.push(`a push was not followed by a pull, or a poll was not made:\n${difference}`);
  if ((await takeMessages(simulation)).length !== 1) failures.push('a change at the provider was not told');
}

/** Takes what waits in the outbox, as if it had been delivered. */
async function takeMessages({ world }: Simulation): Promise<readonly string[]> {
  const { outbox } = world.storage;
  const taken: string[] = [];
  for (;;) {
    const claims = (await outbox.acknowledgeAndClaim([], { limit: 10, leaseMs: 10_000 })).claims;
    if (claims.length === 0) return taken;
    for (const { target, message, epoch } of claims) {
      const { applicationId, id: targetId } = target;
      taken.push(`${message.eventType} for ${targetId}`);
      const attempt = {
        id: `att_${message.id}`,
        eventType: message.eventType,
        at: world.time.now(),
        status: 200,
        failure: null,
        latencyMs: 1,
        excerpt: '',
      };
      const outcome = { kind: 'delivered' } as const;
      await outbox.acknowledgeAndClaim([{ applicationId, targetId, messageId: message.id, epoch, attempt, outcome }], {
        limit: 0,
        leaseMs: 1,
      });
    }
  }
}

import { manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import fc from 'fast-check';
import type { HoldState, Storage } from 'kalends/ports';
import { expect, test } from 'vitest';
import { accountRow, applicationRow, credentialRow } from '../../adapters/conformance/src/storage/world.ts';
import { sizeOf } from '../size-of.ts';

const RUNS = sizeOf('runs', { short: 60, long: 1_000 });
const APPLICATION = 'app_1';
const ACCOUNTS = ['acc_1', 'acc_2', 'acc_3'];
const TTL_MS = 100;
const KEPT_MS = 10_000;
const LENGTHS = { ttlMs: TTL_MS, keptMs: KEPT_MS };
const CONFIRMATION = { bodyHash: 'b', writeTo: 'organizer', notifyAttendees: null, ...LENGTHS } as const;

/** A hold as simply as it can be told. */
interface Simple {
  readonly id: string;
  readonly accounts: readonly string[];
  readonly replaces: string | null;
  startMs: number;
  endMs: number;
  state: HoldState;
  until: number;
  epoch: number;
  dueAt: number | null;
  isTentative: boolean;
}

interface Model {
  now: number;
  readonly holds: Map<string, Simple>;
}

interface Real {
  readonly storage: Storage;
  readonly clock: ReturnType<typeof manualClock>;
}

/** Whether others take a part of a slot: by looking at every hold and every account. */
function isInWay({ holds, now }: Model, hold: Simple, except: readonly (string | null)[]): boolean {
  return [...holds.values()].some(
    (other) =>
      !except.includes(other.id) &&
      other.until > now &&
      other.accounts.some((account) => hold.accounts.includes(account)) &&
      other.startMs < hold.endMs &&
      hold.startMs < other.endMs,
  );
}

const command = (name: string, run: (model: Model, real: Real) => Promise<void>): fc.AsyncCommand<Model, Real> => ({
  check: () => true,
  run,
  toString: () => name,
});

const idOf = (n: number) => `hld_${n}`;
let taken = 0;

function takeCommand(
  accounts: readonly string[],
  startMs: number,
  length: number,
  replaced: number | null,
  dueInMs: number | null,
) {
  return command(`take ${accounts} ${startMs}+${length} for ${replaced}`, async (model, { storage }) => {
    taken += 1;
    const id = idOf(model.holds.size + 1_000 * taken);
    const booked = replaced === null ? undefined : [...model.holds.values()][replaced];
    const replaces = booked?.state === 'booked' ? booked.id : null;
    const hold: Simple = {
      id,
      accounts,
      replaces,
      startMs,
      endMs: startMs + length,
      state: 'held',
      until: model.now + TTL_MS,
      epoch: 0,
      dueAt: dueInMs === null ? null : model.now + dueInMs,
      isTentative: dueInMs !== null,
    };
    const participants = accounts.map((accountId) => ({ accountId, calendarIds: ['cal'] }));
    const tentative = hold.isTentative ? ('organizer' as const) : null;
    const kept = { tentative, search: null, notifyAttendees: null, timeZone: 'UTC', createdAt: model.now };
    const row = { id, replaces, startMs, endMs: hold.endMs, applicationId: APPLICATION, participants, ...kept };
    const { kind } = await storage.holds.take(row, { seen: [], ...LENGTHS, dueInMs });
    const isReplacing = [...model.holds.values()].some(
      (each) => replaces !== null && each.replaces === replaces && each.until > model.now,
    );
    const expected = isReplacing ? 'replacing' : isInWay(model, hold, [replaces]) ? 'in-way' : 'taken';
    expect(kind).toBe(expected);
    if (kind !== 'taken') return;
    for (const each of [...model.holds.values()]) {
      if (replaces !== null && each.replaces === replaces) model.holds.delete(each.id);
    }
    model.holds.set(id, hold);
  });
}

const pick = (model: Model, n: number) => [...model.holds.values()][n % Math.max(1, model.holds.size)];

const confirmCommand = (n: number) =>
  command(`confirm ${n}`, async (model, { storage }) => {
    const hold = pick(model, n);
    const begun = await storage.holds.beginConfirmation(APPLICATION, hold?.id ?? 'none', CONFIRMATION);
    if (hold === undefined) return expect(begun).toBe(undefined);
    if (hold.state === 'booked') return expect(begun?.kind).toBe('booked');
    const isOver = hold.until <= model.now;
    const expected =
      hold.state === 'releasing'
        ? 'expired'
        : !isOver
          ? 'begun'
          : hold.state === 'held'
            ? 'expired'
            : isInWay(model, hold, [hold.id])
              ? 'in-way'
              : 'begun';
    expect(begun?.kind).toBe(expected);
    if (expected !== 'begun') return;
    hold.state = 'confirming';
    hold.epoch += 1;
    hold.until = Math.max(hold.until, model.now + TTL_MS);
    hold.dueAt = hold.until;
  });

const bookCommand = (n: number) =>
  command(`book ${n}`, async (model, { storage }) => {
    const hold = pick(model, n);
    const booked = await storage.holds.book(APPLICATION, hold?.id ?? 'none', { eventIds: { acc_1: 'e' }, ...LENGTHS });
    if (hold?.state === 'booked') return expect(booked?.takenUntil).toBe(hold.until);
    const isOver = hold === undefined || hold.until <= model.now;
    const can = hold?.state === 'confirming' && !(isOver && isInWay(model, hold, [hold.id]));
    expect(booked?.state).toBe(can ? 'booked' : undefined);
    if (!can) return;
    hold.state = 'booked';
    hold.until = model.now + TTL_MS;
    hold.dueAt = hold.isTentative ? model.now : null;
  });

const replaceCommand = (n: number) =>
  command(`replace ${n}`, async (model, { storage }) => {
    const by = [...model.holds.values()].filter(({ replaces }) => replaces !== null)[n];
    if (by?.replaces == null) return;
    const booked = model.holds.get(by.replaces);
    const done = await storage.holds.replace(APPLICATION, by.replaces, { by: by.id, ...LENGTHS });
    const can = booked?.state === 'booked' && (by.until > model.now || !isInWay(model, by, [by.id, by.replaces]));
    expect(done).toBe(can);
    if (booked === undefined || !can) return;
    model.holds.delete(by.id);
    Object.assign(booked, { startMs: by.startMs, endMs: by.endMs, until: model.now + TTL_MS });
  });

const releaseCommand = (n: number, state: HoldState, epoch: number) =>
  command(`release ${n} ${state} ${epoch}`, async (model, { storage }) => {
    const hold = pick(model, n);
    const done = await storage.holds.release(APPLICATION, hold?.id ?? 'none', { state, epoch, dueInMs: 50 });
    expect(done).toBe(hold?.state === state && hold.epoch === epoch);
    if (hold !== undefined && done)
      Object.assign(hold, { state: 'releasing', until: model.now, dueAt: model.now + 50 });
  });

const restoreCommand = (n: number) =>
  command(`restore ${n}`, async (model, { storage }) => {
    const hold = pick(model, n);
    const done = await storage.holds.restore(APPLICATION, hold?.id ?? 'none');
    expect(done).toBe(hold?.state === 'releasing');
    if (hold !== undefined && done) Object.assign(hold, { state: 'booked', dueAt: null });
  });

const settleCommand = (n: number, epoch: number) =>
  command(`settle ${n} ${epoch}`, async (model, { storage }) => {
    const hold = pick(model, n);
    const expected = { state: hold?.state ?? 'held', epoch };
    const done = await storage.holds.settle(APPLICATION, hold?.id ?? 'none', expected);
    expect(done).toBe(hold?.epoch === epoch);
    if (hold !== undefined && done) Object.assign(hold, { dueAt: null, isTentative: false });
  });

const extendCommand = (n: number) =>
  command(`extend ${n}`, async (model, { storage }) => {
    const hold = pick(model, n);
    const done = await storage.holds.extend(APPLICATION, hold?.id ?? 'none', { ttlMs: TTL_MS });
    const isFree = hold !== undefined && (hold.until > model.now || !isInWay(model, hold, [hold.id, hold.replaces]));
    expect(done).toBe(hold?.state === 'held' && isFree);
    if (hold !== undefined && done) hold.until = Math.max(hold.until, model.now + TTL_MS);
  });

const dueCommand = command('list due', async ({ holds, now }, { storage }) => {
  const due = [...holds.values()].filter(({ dueAt }) => dueAt !== null && dueAt <= now);
  const listed = await storage.holds.listDue(1_000);
  expect(listed.map(({ id }) => id).sort()).toEqual(due.map(({ id }) => id).sort());
});

const removeCommand = (n: number, state: HoldState) =>
  command(`remove ${n} ${state}`, async (model, { storage }) => {
    const hold = pick(model, n);
    const isGone = await storage.holds.remove(APPLICATION, hold?.id ?? 'none', { state });
    expect(isGone).toBe(hold?.state === state);
    if (hold !== undefined && isGone) model.holds.delete(hold.id);
  });

const passCommand = (ms: number) =>
  command(`pass ${ms}`, async (model, { clock }) => {
    await clock.advance(ms);
    model.now += ms;
  });

const accountSets = fc.shuffledSubarray(ACCOUNTS, { minLength: 1 });
const index = fc.nat(5);
const states = fc.constantFrom<HoldState>('held', 'confirming', 'booked', 'releasing');
const COMMANDS = [
  fc
    .tuple(accountSets, fc.nat(20), fc.integer({ min: 1, max: 10 }), fc.option(index), fc.option(fc.nat(80)))
    .map((all) => takeCommand(...all)),
  index.map(confirmCommand),
  index.map(bookCommand),
  index.map(replaceCommand),
  fc.tuple(index, states).map((all) => removeCommand(...all)),
  fc.tuple(index, states, fc.nat(2)).map((all) => releaseCommand(...all)),
  index.map(restoreCommand),
  fc.tuple(index, fc.nat(2)).map((all) => settleCommand(...all)),
  index.map(extendCommand),
  fc.constant(dueCommand),
  fc.integer({ min: 1, max: 150 }).map(passCommand),
];

/** At no time do two holds take one moment of an account: by what the storage itself lists. */
async function expectNoOverlap({ storage }: Real, { holds, now }: Model): Promise<void> {
  const listed = await storage.holds.listTaken(APPLICATION, ACCOUNTS, { startMs: 0, endMs: 1_000 });
  const expected = [...holds.values()].filter(({ until }) => until > now);
  expect(listed).toHaveLength(expected.reduce((sum, { accounts }) => sum + accounts.length, 0));
  for (const one of listed) {
    const inWay = listed.filter(
      (other) => other.accountId === one.accountId && other.startMs < one.endMs && one.startMs < other.endMs,
    );
    // The slot of a booking and the one that it moves to may overlap.
    const ids = new Set(inWay.map(({ holdId }) => holds.get(holdId)?.replaces ?? holdId));
    expect([...ids]).toHaveLength(1);
  }
}

test('holds do what a list of slots does that is searched from end to end', {
  timeout: 60_000 + RUNS * 200,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 40 }), async (commands) => {
      const clock = manualClock(0);
      const storage = sqlite({ path: ':memory:', clock });
      await storage.open();
      try {
        await storage.applications.create(applicationRow({ id: APPLICATION }));
        for (const id of ACCOUNTS) {
          const identity = { id, email: `${id}@example.com`, providerAccountId: id };
          await storage.accounts.save(accountRow(identity), credentialRow({ id: `crd_${id}`, accountId: id }));
        }
        const model: Model = { now: 0, holds: new Map() };
        await fc.asyncModelRun(() => ({ model, real: { storage, clock } }), commands);
        await expectNoOverlap({ storage, clock }, model);
      } finally {
        await storage.close();
      }
    }),
    { numRuns: RUNS },
  );
});

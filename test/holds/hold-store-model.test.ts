import { manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import fc from 'fast-check';
import type { HoldState, Storage } from 'kalends/ports';
import { expect, test } from 'vitest';
import { accountRow, applicationRow, credentialRow } from '../../adapters/conformance/src/storage/world.ts';
import { sizeOf } from '../size-of.ts';

const RUNS = sizeOf('runs', { short: 60, long: 2_000 });
const APPLICATION = 'app_1';
const ACCOUNTS = ['acc_1', 'acc_2', 'acc_3'];
const TTL_MS = 100;
const KEPT_MS = 10_000;
const LENGTHS = { ttlMs: TTL_MS, keptMs: KEPT_MS };

/** A hold as simply as it can be told. */
interface Simple {
  readonly id: string;
  readonly accounts: readonly string[];
  readonly replaces: string | null;
  startMs: number;
  endMs: number;
  state: HoldState;
  until: number;
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

function takeCommand(accounts: readonly string[], startMs: number, length: number, replaced: number | null) {
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
    };
    const participants = accounts.map((accountId) => ({ accountId, calendarIds: ['cal'] }));
    const row = { ...hold, applicationId: APPLICATION, participants, timeZone: 'UTC', createdAt: model.now };
    const { kind } = await storage.holds.take(row, { seen: [], ...LENGTHS });
    const isReplacing = [...model.holds.values()].some(
      (each) => replaces !== null && each.replaces === replaces && each.until > model.now,
    );
    const expected = isReplacing ? 'replacing' : isInWay(model, hold, [replaces]) ? 'in-way' : 'taken';
    expect(kind).toBe(expected);
    if (kind === 'taken') model.holds.set(id, hold);
  });
}

const pick = (model: Model, n: number) => [...model.holds.values()][n % Math.max(1, model.holds.size)];

const confirmCommand = (n: number) =>
  command(`confirm ${n}`, async (model, { storage }) => {
    const hold = pick(model, n);
    const begun = await storage.holds.beginConfirmation(APPLICATION, hold?.id ?? 'none', { bodyHash: 'b', ...LENGTHS });
    if (hold === undefined) return expect(begun).toBe(undefined);
    if (hold.state === 'booked') return expect(begun?.kind).toBe('booked');
    const isOver = hold.until <= model.now;
    const expected = !isOver
      ? 'begun'
      : hold.state === 'held'
        ? 'expired'
        : isInWay(model, hold, [hold.id])
          ? 'in-way'
          : 'begun';
    expect(begun?.kind).toBe(expected);
    if (expected !== 'begun') return;
    hold.state = 'confirming';
    hold.until = Math.max(hold.until, model.now + TTL_MS);
  });

const bookCommand = (n: number) =>
  command(`book ${n}`, async (model, { storage }) => {
    const hold = pick(model, n);
    const booked = await storage.holds.book(APPLICATION, hold?.id ?? 'none', { eventId: 'e', ...LENGTHS });
    if (hold?.state === 'booked') return expect(booked?.takenUntil).toBe(hold.until);
    const isOver = hold === undefined || hold.until <= model.now;
    const can = hold?.state === 'confirming' && !(isOver && isInWay(model, hold, [hold.id]));
    expect(booked?.state).toBe(can ? 'booked' : undefined);
    if (!can) return;
    hold.state = 'booked';
    hold.until = model.now + TTL_MS;
  });

const replaceCommand = (n: number) =>
  command(`replace ${n}`, async (model, { storage }) => {
    const by = [...model.holds.values()].filter(({ replaces }) => replaces !== null)[n];
    if (by?.replaces == null) return;
    const booked = model.holds.get(by.replaces);
    const done = await storage.holds.replace(APPLICATION, by.replaces, { by: by.id, ...LENGTHS });
    const can = booked !== undefined && (by.until > model.now || !isInWay(model, by, [by.id, by.replaces]));
    expect(done).toBe(can);
    if (booked === undefined || !can) return;
    model.holds.delete(by.id);
    Object.assign(booked, { startMs: by.startMs, endMs: by.endMs, until: model.now + TTL_MS });
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
const COMMANDS = [
  fc
    .tuple(accountSets, fc.nat(20), fc.integer({ min: 1, max: 10 }), fc.option(index))
    .map((all) => takeCommand(...all)),
  index.map(confirmCommand),
  index.map(bookCommand),
  index.map(replaceCommand),
  fc.tuple(index, fc.constantFrom<HoldState>('held', 'confirming', 'booked')).map((all) => removeCommand(...all)),
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

import { type ManualClock, manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import fc from 'fast-check';
import { type Logger, NO_TELEMETRY, type Storage, type Telemetry } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CallNeed, createDayBudget, type DayBudget, dayAt } from '../../src/leases/day-budget.ts';
import { createCostWorld } from '../cost/cost-world.ts';
import { sizeOf } from '../size-of.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RUNS = sizeOf('runs', { short: 15, long: 200 });
/** Midnight in Los Angeles on 2026-03-03, in winter time. */
const MIDNIGHT = Date.UTC(2026, 2, 3, 8);

let clock: ManualClock;
let storage: Storage;
let warnings: string[];
beforeEach(async () => {
  clock = manualClock(MIDNIGHT);
  storage = sqlite({ path: ':memory:', clock });
  await storage.open();
  warnings = [];
});
afterEach(() => storage.close());

function process(): DayBudget {
  const silent = () => undefined;
  const logger: Logger = { debug: silent, info: silent, warn: (message) => void warnings.push(message), error: silent };
  return createDayBudget({ leases: storage.leases, clock, logger, telemetry: NO_TELEMETRY });
}

const allowance = (client: string, perDay: number) => ({ providerType: 'PROVIDER_A', client, perDay });

/** Takes a call; resolves with 0, or with the wait until a later attempt. */
async function waitOf(budget: DayBudget, client: string, perDay: number, need: CallNeed): Promise<number> {
  try {
    await budget.take(allowance(client, perDay), need);
    return 0;
  } catch (error) {
    expect(error).toMatchObject({ reason: 'rate-limited', isDaily: true });
    return (error as { readonly retryAfterMs: number }).retryAfterMs;
  }
}

describe('the daily budget of an OAuth client', () => {
  const need = fc.constantFrom<CallNeed>('caller', 'prompt', 'routine');
  const acts = fc.array(fc.record({ need, process: fc.nat(2), afterMs: fc.integer({ min: 0, max: HOUR_MS / 2 }) }), {
    minLength: 50,
    maxLength: 150,
  });

  test('gives each call what one counter would, across processes and days', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(acts, async (history) => {
        run += 1;
        const client = `prv_${run}`;
        const perDay = 60;
        const processes = [process(), process(), process()];
        let used = 0;
        let today = dayAt(clock.now()).number;
        for (const act of history) {
          await clock.advance(act.afterMs);
          const { number, startAt, endAt } = dayAt(clock.now());
          if (number > today) [today, used] = [number, 0];
          const elapsed = (clock.now() - startAt) / (endAt - startAt);
          const limits = {
            caller: perDay,
            prompt: Math.floor(perDay * 0.9),
            routine: Math.floor(perDay * 0.9 * elapsed),
          };
          const isGiven = (await waitOf(processes[act.process]!, client, perDay, act.need)) === 0;
          expect(isGiven).toBe(used < limits[act.need]);
          if (isGiven) used += 1;
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('tells a refused call when its share will have come', async () => {
    const budget = process();
    await clock.advance(6 * HOUR_MS);
    for (let call = 0; call < 22; call += 1) expect(await waitOf(budget, 'prv', 100, 'routine')).toBe(0);
    const waitMs = await waitOf(budget, 'prv', 100, 'routine');
    expect(waitMs).toBeGreaterThan(0);
    await clock.advance(waitMs + HOUR_MS / 2);
    expect(await waitOf(budget, 'prv', 100, 'routine')).toBe(0);
    for (let call = 23; call < 90; call += 1) expect(await waitOf(budget, 'prv', 100, 'prompt')).toBe(0);
    expect(await waitOf(budget, 'prv', 100, 'prompt')).toBe(MIDNIGHT + DAY_MS - clock.now());
    for (let call = 90; call < 100; call += 1) expect(await waitOf(budget, 'prv', 100, 'caller')).toBe(0);
    expect(await waitOf(budget, 'prv', 100, 'caller')).toBe(MIDNIGHT + DAY_MS - clock.now());
  });

  test('warns once a day, at 80 %, in one of the processes', async () => {
    const processes = [process(), process()];
    const spend = async () => {
      for (let call = 0; call < 100; call += 1) await waitOf(processes[call % 2]!, 'prv', 100, 'caller');
    };
    await spend();
    expect(warnings).toEqual(['daily call budget nearly used up']);
    await clock.advance(DAY_MS);
    await spend();
    expect(warnings).toHaveLength(2);
  });

  test('is taken in slices by a large client, which are kept until used', async () => {
    const budget = process();
    for (let call = 0; call < 101; call += 1) await budget.take(allowance('prv', 1_000_000), 'caller');
    const { used } = await storage.leases.takeDayCalls('day:prv', {
      day: dayAt(clock.now()).number,
      atMost: 0,
      upTo: 0,
    });
    expect(used).toBe(200);
  });

  test('begins its day at midnight in Los Angeles, also when the clocks change', () => {
    const { startAt, endAt } = dayAt(Date.UTC(2026, 2, 8, 20));
    expect([startAt, endAt]).toEqual([Date.UTC(2026, 2, 8, 8), Date.UTC(2026, 2, 9, 7)]);
    expect(dayAt(endAt).number).toBe(dayAt(startAt).number + 1);
  });
});

test('an engine spreads its polls over the day, and leaves the reserve to callers', { timeout: 60_000 }, async () => {
  const perDay = 60;
  const counted = new Map<string, number>();
  const count = (...parts: readonly string[]) => counted.set(parts.join(), (counted.get(parts.join()) ?? 0) + 1);
  const telemetry: Telemetry = {
    count(metric, labels: { readonly operation?: string; readonly outcome?: string }) {
      // Tokens are refreshed without a call of the budget.
      if (labels.operation?.startsWith('authorization.') !== true) count(metric, labels.outcome ?? '');
    },
    observe: (metric, { outcome = '' }: { readonly outcome?: string }) => void count(metric, outcome),
  };
  const world = await createCostWorld({
    provider: 'google',
    calendars: 1,
    events: 5,
    drop: 1,
    options: {
      telemetry,
      providerBudgets: { PROVIDER_A: { perDay } },
      sync: { pollWithPushMs: 900_000, maxPushStalenessMs: 900_000 },
    },
  });
  try {
    const { time, sandbox, engine, applicationId } = world;
    const calls = () =>
      Object.entries(sandbox.requests.counts())
        .filter(([pattern]) => /calendar\/v3/.test(pattern))
        .reduce((sum, [, each]) => sum + each, 0);
    await time.pass(dayAt(time.now()).endAt - time.now());
    counted.clear();
    const quarters: number[] = [];
    for (let quarter = 0; quarter < 4; quarter += 1) {
      const before = calls();
      await time.pass(6 * HOUR_MS - (quarter === 3 ? HOUR_MS : 0));
      quarters.push(calls() - before);
    }
    for (const each of quarters) expect(each).toBeGreaterThan(8);
    for (const each of quarters) expect(each).toBeLessThan(18);
    const spent = quarters.reduce((sum, each) => sum + each, 0);
    expect(spent).toBeLessThanOrEqual(perDay * 0.9);
    // The provider was asked so often, and refused nothing; a pull that waits has not failed.
    const ofMetric = (metric: string) => Object.fromEntries([...counted].filter(([name]) => name.startsWith(metric)));
    expect(ofMetric('kalends_provider_calls_total')).toEqual({ 'kalends_provider_calls_total,ok': spent });
    expect(ofMetric('kalends_pull_duration_seconds')).toEqual({
      'kalends_pull_duration_seconds,ok': expect.any(Number),
      'kalends_pull_duration_seconds,postponed': expect.any(Number),
    });
    const [watched] = world.calendars;
    const caller = { applicationId };
    const at = { dateTime: '2026-03-10T09:00:00', timeZone: 'Europe/Berlin' };
    const body = { title: 'Written late', start: at, end: { ...at, dateTime: '2026-03-10T10:00:00' } };
    await time.until(engine.events.create(caller, watched!.accountId, watched!.calendarId, body));
  } finally {
    await world.close();
  }
});

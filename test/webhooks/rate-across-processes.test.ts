import { expect, it } from 'vitest';
import { sizeOf } from '../size-of.ts';
import { newDatabase, STORAGES } from '../storages/new-database.ts';
import { openProcessWorld } from './processes/process-world.ts';
import { startWorker } from './processes/start-worker.ts';
import { openWaiting } from './processes/waiting-messages.ts';

/** Changes that each process makes. */
const CHANGES = sizeOf('changes', { short: 100, long: 500 });
const PROCESSES = 4;
const SUBSCRIPTIONS = 5;
const RATE = 5;

it.each(
  STORAGES,
)(`on %s four processes with ${CHANGES} changes each keep the rate, and tell the last change`, async (storage) => {
  const arrivals = Array.from({ length: SUBSCRIPTIONS }, () => [] as { at: number; timestamp: number }[]);
  const database = await newDatabase(storage);
  const world = await openProcessWorld({
    database,
    subscriptions: SUBSCRIPTIONS,
    rateLimit: RATE,
    speed: 1,
    listener: async (request, response) => {
      const at = performance.now();
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as { timestamp: string };
      arrivals[Number(request.url?.slice(1))]?.push({ at, timestamp: Date.parse(timestamp) });
      response.writeHead(204).end();
    },
  });
  const lastChange = Array.from({ length: SUBSCRIPTIONS }, () => 0);
  let made = 0;
  const workers = Array.from({ length: PROCESSES }, () =>
    startWorker(
      {
        ...world.base,
        timeoutMs: 15_000,
        dispatches: true,
        calendars: SUBSCRIPTIONS,
        changes: CHANGES,
        eventType: 'calendar.event.changed',
      },
      (calendar, at) => {
        made += 1;
        lastChange[calendar] = Math.max(lastChange[calendar] ?? 0, at);
      },
    ),
  );
  const waiting = await openWaiting(database);
  let mostWaiting = 0;
  const isDone = async () => made === CHANGES * PROCESSES && (await world.storage.outbox.nextDueAt()) === null;
  while (!(await isDone())) {
    mostWaiting = Math.max(mostWaiting, await waiting.most());
    expect(workers.flatMap(({ complaints }) => complaints)).toEqual([]);
    await world.clock.sleep(50);
  }
  await waiting.close();
  for (const { process: child } of workers) child.stdin?.end();
  await Promise.all(workers.map(({ ended }) => ended));

  const mostInASecond = Math.max(...arrivals.map((list) => busiestSecond(list.map(({ at }) => at))));
  console.log(
    `${storage}: ${made} changes, ${arrivals.flat().length} deliveries, at most ${mostInASecond} in a second at rate ${RATE}, ` +
      `at most ${mostWaiting} messages waiting`,
  );
  expect(workers.flatMap(({ complaints }) => complaints)).toEqual([]);
  expect(mostInASecond).toBeLessThanOrEqual(RATE + 1);
  expect(mostWaiting).toBeLessThanOrEqual(2);
  for (const [calendar, list] of arrivals.entries()) {
    // The message that came last was made or moved by the last change: its delivery started after it.
    expect(Math.max(...list.map(({ timestamp }) => timestamp))).toBe(lastChange[calendar]);
  }
}, 3_600_000);

/** The most arrivals in any half-open second. */
function busiestSecond(times: readonly number[]): number {
  return Math.max(...times.map((start) => times.filter((at) => at >= start && at < start + 1_000).length));
}

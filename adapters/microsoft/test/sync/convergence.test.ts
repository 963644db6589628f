import fc from 'fast-check';
import { type CalendarRef, type EventChange, type Provider, ProviderError, type ProviderSession } from 'kalends/ports';
import { expect, test } from 'vitest';
import { sizeOf } from '../../../../test/size-of.ts';
import { ADA, collect, createHarness, type Harness } from '../harness.ts';

/*
 * Whatever is done to a calendar, a copy that applies every incremental pull equals a whole pull: with deletions that
 * the feed does not tell, entities told twice, masters left out and change keys that move by themselves.
 */

type Copy = Map<string, EventChange>;

function apply(copy: Copy, changes: readonly EventChange[]): void {
  for (const change of changes) {
    if (change.kind === 'series') copy.set(change.master.providerEventId, change);
    else if (change.kind === 'event') copy.set(change.event.providerEventId, change);
    else copy.delete(change.providerEventId);
  }
}

const sorted = (copy: Copy) => [...copy].sort(([a], [b]) => (a < b ? -1 : 1));

const day = fc
  .nat({ max: 1200 })
  .map((days) => new Date(Date.UTC(2024, 0, 1) + days * 86_400_000).toISOString().slice(0, 10));
const step = fc.oneof(
  fc.record({ act: fc.constant('single' as const), day }),
  fc.record({ act: fc.constant('series' as const), day, count: fc.integer({ min: 2, max: 12 }) }),
  fc.record({ act: fc.constant('rename' as const), pick: fc.nat() }),
  fc.record({ act: fc.constant('move' as const), pick: fc.nat(), day }),
  fc.record({ act: fc.constant('rename-one' as const), pick: fc.nat(), slot: fc.nat() }),
  fc.record({ act: fc.constant('delete-one' as const), pick: fc.nat(), slot: fc.nat() }),
  fc.record({ act: fc.constant('delete' as const), pick: fc.nat() }),
  fc.record({ act: fc.constant('later' as const), days: fc.nat({ max: 3 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const times = (date: string) => ({
  start: { dateTime: `${date}T09:00:00`, timeZone: 'UTC' },
  end: { dateTime: `${date}T10:00:00`, timeZone: 'UTC' },
});

async function perform(harness: Harness, todo: Step, number: number): Promise<void> {
  const { value } = await harness.graph(ADA, 'GET', 'me/events?$top=200&$select=id,type,recurrence');
  const pickFrom = (list: { id: string }[], pick: number) => list[pick % Math.max(1, list.length)]?.id;
  const series = value.filter(({ type }: { type: string }) => type === 'seriesMaster');
  if (todo.act === 'later') harness.sandbox.clock.advance(todo.days * 86_400_000 + 1000);
  else if (todo.act === 'single') {
    await harness.graph(ADA, 'POST', 'me/events', { subject: `single ${number}`, ...times(todo.day) });
  } else if (todo.act === 'series') {
    await harness.graph(ADA, 'POST', 'me/events', {
      subject: `series ${number}`,
      ...times(todo.day),
      recurrence: {
        pattern: { type: 'daily', interval: 2 },
        range: { type: 'numbered', startDate: todo.day, numberOfOccurrences: todo.count },
      },
    });
  } else if (todo.act === 'rename-one' || todo.act === 'delete-one') {
    const id = pickFrom(series, todo.pick);
    if (id === undefined) return;
    const path = `me/events/${id}/instances?startDateTime=2023-01-01&endDateTime=2027-12-01&$top=50`;
    const { value: slots } = await harness.graph(ADA, 'GET', path);
    const slot = pickFrom(slots, todo.slot);
    if (slot === undefined) return;
    if (todo.act === 'delete-one') await harness.graph(ADA, 'DELETE', `me/events/${slot}`);
    else await harness.graph(ADA, 'PATCH', `me/events/${slot}`, { subject: `slot ${number}` });
  } else {
    const singles = value.filter(({ type }: { type: string }) => type === 'singleInstance');
    const id = pickFrom(todo.act === 'move' ? singles : value, todo.pick);
    if (id === undefined) return;
    if (todo.act === 'delete') await harness.graph(ADA, 'DELETE', `me/events/${id}`);
    else {
      await harness.graph(
        ADA,
        'PATCH',
        `me/events/${id}`,
        todo.act === 'move' ? times(todo.day) : { subject: `n ${number}` },
      );
    }
  }
}

type Pulled = Awaited<ReturnType<typeof collect>>;

/** Delta tokens live for days only; a dead one is what the engine answers with a whole pull. */
async function pullOrStartAgain(
  provider: Provider,
  session: ProviderSession,
  calendar: CalendarRef,
  token: string | null,
): Promise<Pulled> {
  try {
    return await collect(provider.events.pull(session, calendar, token));
  } catch (error) {
    if (!ProviderError.isInstance(error) || error.reason !== 'sync-token-expired') throw error;
    return collect(provider.events.pull(session, calendar, null));
  }
}

async function converges(provider: Provider, harness: Harness, steps: readonly Step[]): Promise<void> {
  const session: ProviderSession = await harness.session(ADA);
  const calendar: CalendarRef = await harness.primary(ADA);
  const copy: Copy = new Map();
  let token: string | null = null;
  for (const [number, todo] of steps.entries()) {
    await perform(harness, todo, number);
    if (number % 3 !== 2 && number < steps.length - 1) continue;
    const pulled = await pullOrStartAgain(provider, session, calendar, token);
    if (pulled.full) copy.clear();
    apply(copy, pulled.changes);
    token = pulled.token;
    const fresh: Copy = new Map();
    apply(fresh, (await collect(provider.events.pull(session, calendar, null))).changes);
    expect(sorted(copy)).toEqual(sorted(fresh));
  }
}

test('incremental pulls converge', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 15 }), async (steps) => {
      const harness = await createHarness({ odd: true });
      try {
        await converges(harness.providerWith({ limits: { pageSize: 3 } }), harness, steps);
      } finally {
        await harness.close();
      }
    }),
    { numRuns: sizeOf('runs', { short: 6, long: 60 }) },
  );
});

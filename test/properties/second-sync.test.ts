import { GENERATED_FIELDS, generatedEvent, seededRandom } from '@kalends/conformance';
import { google } from '@kalends/google';
import { microsoft } from '@kalends/microsoft';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from '../interface/movable-clock.ts';
import { body, type Connected, calendarsPath, eventsPath, readAll } from '../interface/steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from '../interface/world.ts';
import { sizeOf } from '../size-of.ts';

const MINUTE_MS = 60_000;
const RUNS = sizeOf('runs', { short: 4, long: 25 });
const ADAPTERS = { google: google(), microsoft: microsoft() };
const clock = movableClock();
let world: World;
beforeAll(async () => {
  world = await createWorld({ clock });
});
afterAll(() => world.close());

/** Which event, and which of its fields it has. */
const draft = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 31 }),
  fields: fc.subarray([...GENERATED_FIELDS]),
});

describe.each(PROVIDERS)('a second sync of $providerType', ({ provider }) => {
  let account: Connected;
  let calendars = 0;
  beforeAll(async () => {
    account = await world.connect(provider);
  });

  async function newCalendar(): Promise<Connected & { readonly ref: Json }> {
    calendars += 1;
    const sent = { name: `Round ${calendars}`, timeZone: 'Europe/Berlin' };
    const ref = body(await world.call('POST', calendarsPath(account.accountId), { body: sent }), 201);
    return { ...account, calendarId: ref.id, ref };
  }

  /** Requests that could have changed something, since the log was last cleared; tokens may be refreshed. */
  const writes = () =>
    world.sandbox.requests
      .list()
      .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'))
      .map(({ method, path }) => `${method} ${path}`);
  const byId = (events: readonly Json[]) => [...events].sort((a, b) => (a.id < b.id ? -1 : 1));

  it('of events that were written and read has no changed field, no new version, and writes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(draft, { minLength: 1, maxLength: 4 }), async (drafts) => {
        const { ref, ...at } = await newCalendar();
        const capabilities = ADAPTERS[provider].capabilities(ref);
        const made: Json[] = [];
        for (const { seed, fields } of drafts) {
          const input = generatedEvent(seededRandom(seed), capabilities, fields);
          // The interface takes the calendar's zone where the port says none.
          const sent = { title: 'Untitled', ...input, start: withZone(input.start), end: withZone(input.end) };
          made.push(body(await world.call('POST', eventsPath(at), { body: sent }), 201));
        }
        clock.pass(MINUTE_MS);
        const first = await readAll(world, eventsPath(at));
        expect(byId(first.data)).toEqual(byId(made));

        world.sandbox.requests.clear();
        clock.pass(MINUTE_MS);
        const second = await readAll(world, eventsPath(at), { syncToken: first.nextSyncToken });
        expect(second.data).toEqual([]);
        for (const event of first.data) {
          const same = body(await world.call('PUT', eventsPath(at, event.id), { body: event }));
          expect(same).toEqual(event);
        }
        expect(writes()).toEqual([]);
        clock.pass(MINUTE_MS);
        const third = await readAll(world, eventsPath(at), { syncToken: second.nextSyncToken });
        expect(third.data).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});

function withZone({ dateTime, timeZone }: Json): Json {
  return timeZone === '' ? { dateTime } : { dateTime, timeZone };
}

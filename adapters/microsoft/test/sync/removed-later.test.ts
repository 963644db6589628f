import type { CalendarRef, EventChange, ProviderSession } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ADA, collect, createHarness, graphEvent, type Harness, onlyEvent, onlySeries } from '../harness.ts';

/* A round of Graph may name an object several times; the last mention tells how it is. */

interface RoundItem {
  readonly id: string;
  readonly [field: string]: unknown;
}

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;
/** Rewrites the items of the next rounds. */
let rewrite: (items: readonly RoundItem[]) => readonly RoundItem[];
/** Tags that the mirror has. */
let tags: Map<string, string>;

const throughRounds: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (!String(input).includes('calendarView/delta')) return response;
  const body = (await response.json()) as { readonly value: readonly RoundItem[] };
  return Response.json({ ...body, value: rewrite(body.value) });
};

beforeEach(async () => {
  rewrite = (items) => items;
  tags = new Map();
  harness = await createHarness({ fetch: throughRounds });
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
});
afterEach(() => harness.close());

const post = (event: object) => harness.graph(ADA, 'POST', 'me/events', event);
const pull = (token: string | null) =>
  collect(harness.provider.events.pull(session, calendar, token, { tagsOf: async () => tags, async *listIds() {} }));

async function begin(): Promise<string> {
  const { token } = await pull(null);
  harness.sandbox.clock.advance(1000);
  return token;
}

/** Reads an object as after a push that named it, so that the mirror has its tags. */
async function mirror(id: string): Promise<readonly EventChange[]> {
  const changes = await harness.provider.events.get(session, calendar, id, {});
  const [change] = changes;
  const read =
    change?.kind === 'series' ? [change.master, ...change.exceptions] : change?.kind === 'event' ? [change.event] : [];
  for (const { providerEventId, providerTag } of read) tags.set(providerEventId, providerTag ?? '');
  return changes;
}

/** Names each removed object before its removal too, in the version that the mirror has. */
const namedBefore =
  (fields: object) =>
  (items: readonly RoundItem[]): readonly RoundItem[] =>
    items.flatMap((item) =>
      item['@removed'] ? [{ '@odata.etag': tags.get(item.id), ...fields, id: item.id }, item] : [item],
    );

describe('an object that a round names twice', () => {
  test('is gone when its removal comes last', async () => {
    const { id } = await post(graphEvent('gone', '2026-01-10T09:00:00'));
    const token = await begin();
    await harness.graph(ADA, 'PATCH', `me/events/${id}`, { subject: 'changed' });
    await mirror(id);
    await harness.graph(ADA, 'DELETE', `me/events/${id}`);
    rewrite = namedBefore({ type: 'singleInstance' });
    expect((await pull(token)).changes).toEqual([{ kind: 'deleted', providerEventId: id }]);
  });

  test('is there when its removal comes first', async () => {
    const { id } = await post(graphEvent('first', '2026-01-10T09:00:00'));
    const token = await begin();
    await harness.graph(ADA, 'PATCH', `me/events/${id}`, { subject: 'moved away and back' });
    rewrite = (items) => [{ id, '@removed': { reason: 'changed' } }, ...items];
    expect(onlyEvent((await pull(token)).changes).content?.title).toBe('moved away and back');
  });

  test('takes its series along when it is a removed exception', async () => {
    const recurrence = {
      pattern: { type: 'daily', interval: 1 },
      range: { type: 'numbered', startDate: '2026-01-10', numberOfOccurrences: 4 },
    };
    const master = await post(graphEvent('series', '2026-01-10T09:00:00', { recurrence }));
    const path = `me/events/${master.id}/instances?startDateTime=2026-01-01&endDateTime=2026-02-01`;
    const [slot] = (await harness.graph(ADA, 'GET', path)).value;
    await harness.graph(ADA, 'PATCH', `me/events/${slot.id}`, { subject: 'other' });
    const token = await begin();
    onlySeries(await mirror(master.id));
    await harness.graph(ADA, 'DELETE', `me/events/${slot.id}`);
    const exception = { type: 'exception', seriesMasterId: master.id };
    rewrite = () => [
      { id: master.id, type: 'seriesMaster', '@odata.etag': tags.get(master.id) },
      ...namedBefore(exception)([{ id: slot.id, '@removed': { reason: 'deleted' } }]),
    ];
    // The search beside the feed has not seen the change yet.
    tags.set(master.id, (await harness.graph(ADA, 'GET', `me/events/${master.id}`))['@odata.etag']);
    const { changes } = await pull(token);
    expect(changes.find((change) => change.kind === 'series')).toMatchObject({
      master: { providerEventId: master.id },
      exceptions: [{ isCancelled: true, content: null }],
    });
  });
});

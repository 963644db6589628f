import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sizeOf } from '../../../../test/size-of.ts';
import { ADA, CHARLES, EVENTS, type Google, type Json, startGoogle, timed } from './harness.ts';

// The oracle: a client that only knows "drop cancelled ids, and the exceptions of a cancelled series, keep the
// rest", a fresh full list, and free/busy.

type Step = { readonly kind: string; readonly pick: number; readonly slot: number };

const OWN_STEPS = ['single', 'series', 'rule', 'time', 'name', 'move', 'cancel', 'restore', 'delete', 'pull'];
const INVITING = ['invite', 'uninvite', 'invite-once', 'uninvite-once', 'pull', 'pull-all'];
const BY_GUEST = ['guest-colours', 'guest-accepts', 'guest-declines', 'guest-deletes', 'guest-deletes-once'];
const MEETING_STEPS = [...OWN_STEPS, ...INVITING, ...INVITING, ...BY_GUEST];
const stepsOf = (kinds: readonly string[]) =>
  fc.array(fc.record({ kind: fc.constantFrom(...kinds), pick: fc.nat(9), slot: fc.nat(5) }), {
    maxLength: 30,
    size: 'max',
  });

/** Beyond what these steps can fill with the smallest pages. */
const MOST_PAGES = 1_000;

class Client {
  readonly held = new Map<string, { etag: string; series: string | undefined }>();
  private syncToken: string | undefined;
  private pageToken: string | undefined;

  constructor(
    private readonly call: Google['ada'],
    private readonly query: Record<string, string>,
    private readonly size: number,
  ) {}

  /** One page; true while more follow. */
  async pull(): Promise<boolean> {
    const isFirst = this.syncToken === undefined;
    const { timeMin: _min, timeMax: _max, ...unbounded } = this.query;
    const { status, body } = await this.call('GET', EVENTS, {
      query: {
        ...(isFirst ? this.query : { ...unbounded, syncToken: this.syncToken ?? '' }),
        maxResults: String(this.size),
        ...(this.pageToken === undefined ? {} : { pageToken: this.pageToken }),
      },
    });
    expect(status).toBe(200);
    for (const item of body.items) {
      if (item.status === 'cancelled') this.drop(item.id);
      else this.held.set(item.id, { etag: item.etag, series: item.recurringEventId });
    }
    this.pageToken = body.nextPageToken;
    if (body.nextSyncToken !== undefined) this.syncToken = body.nextSyncToken;
    return this.pageToken !== undefined;
  }

  /** All pages up to the end of the list. */
  async pullAll(): Promise<void> {
    for (let pages = 1; await this.pull(); pages += 1) expect(pages).toBeLessThan(MOST_PAGES);
  }

  private drop(id: string): void {
    this.held.delete(id);
    for (const [other, { series }] of this.held) if (series === id) this.held.delete(other);
  }
}

async function apply(google: Google, ids: string[], step: Step): Promise<void> {
  const { kind, pick, slot } = step;
  const day = String(2 + pick).padStart(2, '0');
  if (kind === 'single' || kind === 'series') {
    const recurrence = kind === 'series' ? { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=5'] } : {};
    const times = timed(`2026-03-${day}T09:00:00`, `2026-03-${day}T10:00:00`);
    const { body } = await google.ada('POST', EVENTS, { body: { summary: `n${pick}`, ...times, ...recurrence } });
    ids.push(body.id);
    return;
  }
  const id = ids[pick % Math.max(ids.length, 1)];
  if (id === undefined) return;
  const path = `${EVENTS}/${id}`;
  if (kind === 'delete') return void (await google.ada('DELETE', path));
  if (kind === 'name') return void (await google.ada('PATCH', path, { body: { summary: `m${slot}` } }));
  if (kind === 'rule') {
    const recurrence = [`RRULE:FREQ=WEEKLY;COUNT=${slot + 1};INTERVAL=${1 + (slot % 2)}`];
    return void (await google.ada('PATCH', path, { body: { recurrence } }));
  }
  if (kind === 'time') {
    const hour = String(8 + slot).padStart(2, '0');
    const body = timed(`2026-03-${day}T${hour}:00:00`, `2026-03-${day}T${hour}:30:00`);
    return void (await google.ada('PATCH', path, { body }));
  }
  if (kind.startsWith('guest')) return applyOfGuest(google, path, step);
  const attendees = kind.startsWith('invite') ? [{ email: CHARLES }] : [];
  if (kind === 'invite' || kind === 'uninvite') return void (await google.ada('PATCH', path, { body: { attendees } }));
  const { body } = await google.ada('GET', `${path}/instances`, { query: { showDeleted: 'true' } });
  const instance = body?.items?.[slot];
  if (instance === undefined) return;
  if (kind === 'cancel') await google.ada('DELETE', `${EVENTS}/${instance.id}`);
  else if (kind.endsWith('-once')) await google.ada('PATCH', `${EVENTS}/${instance.id}`, { body: { attendees } });
  else if (kind === 'restore') await google.ada('PATCH', `${EVENTS}/${instance.id}`, { body: { status: 'confirmed' } });
  else
    await google.ada('PATCH', `${EVENTS}/${instance.id}`, {
      body: timed(`2026-03-${day}T18:00:00`, `2026-03-${day}T19:00:00`),
    });
}

async function applyOfGuest(google: Google, path: string, { kind, slot }: Step): Promise<void> {
  if (kind === 'guest-deletes') return void (await google.charles('DELETE', path));
  const { body } = await google.charles('GET', `${path}/instances`, { query: { showDeleted: 'true' } });
  const instance = `${EVENTS}/${body?.items?.[slot]?.id}`;
  if (kind === 'guest-deletes-once') return void (await google.charles('DELETE', instance));
  const responseStatus = kind === 'guest-accepts' ? 'accepted' : 'declined';
  const answer = { attendees: [{ email: CHARLES, responseStatus }] };
  await google.charles('PATCH', instance, { body: kind === 'guest-colours' ? { colorId: `${slot + 1}` } : answer });
}

/** Free/busy as single events have it: a guest who declined is free. */
function busyOf(items: readonly Json[], email: string): readonly (readonly [number, number])[] {
  const declines = ({ attendees = [] }: Json) =>
    attendees.some((guest: Json) => guest.email === email && guest.responseStatus === 'declined');
  const spans = items
    .filter((item) => !declines(item))
    .map(({ start, end }): [number, number] => [Date.parse(start.dateTime), Date.parse(end.dateTime)])
    .sort(([one], [other]) => one - other);
  const merged: [number, number][] = [];
  for (const [start, end] of spans) {
    const last = merged.at(-1);
    if (last === undefined || start > last[1]) merged.push([start, end]);
    else last[1] = Math.max(last[1], end);
  }
  return merged;
}

const BOUNDS = { timeMin: '2026-03-05T00:00:00Z', timeMax: '2026-03-25T00:00:00Z' };

describe.each([
  ['an owner', 'ada', OWN_STEPS],
  ['an organizer', 'ada', MEETING_STEPS],
  ['a guest', 'charles', MEETING_STEPS],
] as const)('incremental lists of %s', (_whose, person, kinds) => {
  const email = person === 'ada' ? ADA : CHARLES;

  test.each<[string, Record<string, string>]>([
    ['of masters and exceptions', {}],
    ['of single events', { singleEvents: 'true' }],
    ['of masters and exceptions within bounds', BOUNDS],
    ['of single events within bounds', { singleEvents: 'true', ...BOUNDS }],
  ])('%s end where a fresh list begins', async (_name, query) => {
    await fc.assert(
      fc.asyncProperty(stepsOf(kinds), fc.integer({ min: 1, max: 7 }), async (steps, size) => {
        // Without a turn of the event loop no request of the runs before is freed.
        await new Promise(setImmediate);
        const google = startGoogle();
        const client = new Client(google[person], query, size);
        const ids: string[] = [];
        for (const step of steps) {
          if (step.kind === 'pull') await client.pull();
          else if (step.kind === 'pull-all') await client.pullAll();
          else await apply(google, ids, step);
        }
        // Twice to the end: once for a pass under way, once for what changed during it.
        await client.pullAll();
        await client.pullAll();
        const { body } = await google[person]('GET', EVENTS, { query: { ...query, maxResults: '2500' } });
        const fresh = body.items.filter((item: Json) => item.status !== 'cancelled');
        expect([...client.held].map(([id, { etag }]) => [id, etag]).sort()).toEqual(
          fresh.map((item: Json) => [item.id, item.etag]).sort(),
        );
        if (query.singleEvents === undefined || query.timeMin === undefined) return;
        const asked = { body: { ...BOUNDS, items: [{ id: email }] } };
        const { busy } = (await google[person]('POST', '/freeBusy', asked)).body.calendars[email];
        const shown = busy.map(({ start, end }: Json) => [Date.parse(start), Date.parse(end)]);
        expect(shown).toEqual(busyOf(fresh, email));
      }),
      { numRuns: sizeOf('runs', { short: 40, long: 400 }) },
    );
  });
});

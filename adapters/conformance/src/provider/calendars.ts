import assert from 'node:assert/strict';
import type { ProviderCalendar } from 'kalends/ports';
import type { FeedPlace } from './held-events.ts';
import { MEETING, newRequestId, onStage, type ProviderConformanceOptions, refusal } from './world.ts';

/** Calendars of the account: created, changed, listed, deleted. */
export function calendarConformance(options: ProviderConformanceOptions): void {
  onStage(
    options,
    'calendars: a new one is listed as it was made, takes events, and is deleted, once or again',
    async (stage) => {
      const { provider, session } = stage;
      const input = { name: 'Kalends conformance', hexColor: '#123456', timeZone: 'Asia/Kolkata' };
      const made = await provider.calendars.create(session, input);
      await stage.settle();
      const { id: _id, providerTag: _tag, inviteEmail: _email, ...shown } = made;
      const { allowedOnlineMeetingProviders: _allowed, defaultOnlineMeetingProvider: _preferred, ...own } = shown;
      assert.deepEqual(own, { ...input, readOnly: false, isPrimary: false, isShared: false });
      assert.deepEqual(await find(stage, made.id), made);
      const requestId = newRequestId();
      const changes = await provider.events.create(session, made, MEETING, { requestId });
      assert.equal(changes.length, 1);
      for (let times = 0; times < 2; times += 1) {
        await provider.calendars.delete(session, made.id);
        await stage.settle();
        assert.equal(await find(stage, made.id), undefined);
        assert.equal(await provider.calendars.exists(session, made.id), false, 'a deleted calendar exists no more');
      }
    },
  );

  onStage(options, 'calendars: an update changes what is sent', async (stage) => {
    const { provider, session } = stage;
    const made = await provider.calendars.create(session, { name: 'Kalends conformance' });
    try {
      const renamed = await provider.calendars.update(session, made.id, { name: 'Kalends, renamed' });
      assert.equal(renamed.name, 'Kalends, renamed');
      assert.equal(renamed.hexColor, made.hexColor);
      assert.equal(renamed.timeZone, made.timeZone);
      const dressed = await provider.calendars.update(session, made.id, {
        hexColor: '#654321',
        timeZone: 'Asia/Tokyo',
      });
      assert.deepEqual(
        [dressed.name, dressed.hexColor, dressed.timeZone],
        ['Kalends, renamed', '#654321', 'Asia/Tokyo'],
      );
      const same = await provider.calendars.update(session, made.id, {});
      assert.equal(same.hexColor, '#654321');
      await stage.settle();
      assert.deepEqual(withoutTag(await find(stage, made.id)), withoutTag(same));
      const bare = await provider.calendars.update(session, made.id, { hexColor: null, timeZone: null });
      assert.equal(bare.name, 'Kalends, renamed');
      assert.match(bare.hexColor, /^#[0-9a-f]{6}$/i);
      assert.notEqual(bare.hexColor, '#654321');
      assert.equal(bare.timeZone, made.timeZone, 'null is the zone of a calendar that was given none');
      await stage.settle();
      const found = await find(stage, made.id);
      assert.deepEqual([found?.name, found?.timeZone], ['Kalends, renamed', made.timeZone]);
    } finally {
      await provider.calendars.delete(session, made.id);
    }
  });

  onStage(options, 'calendars: changes since a pull add up to a pull of everything', async (stage) => {
    const { provider, session } = stage;
    const first = await hold(stage, null);
    const one = await provider.calendars.create(session, { name: 'Kalends one' });
    const other = await provider.calendars.create(session, { name: 'Kalends other' });
    try {
      await provider.calendars.delete(session, other.id);
      await provider.calendars.update(session, one.id, { name: 'Kalends changed' });
      await stage.settle();
      const everything = await hold(stage, null);
      const later = first.token === null ? everything : await hold(stage, first.token, first.held);
      assert.deepEqual(names(later.held), names(everything.held));
      assert.ok(!everything.held.has(other.id));
    } finally {
      await provider.calendars.delete(session, one.id);
    }
  });

  onStage(options, 'calendars: one that is listed exists, and one that never was does not', async (stage) => {
    const { provider, session, calendar } = stage;
    assert.ok(await find(stage, calendar.id));
    assert.equal(await provider.calendars.exists(session, calendar.id), true, 'a listed calendar exists');
    assert.equal(await provider.calendars.exists(session, `${calendar.id}x`), false, 'no other calendar exists');
  });

  onStage(options, 'calendars: one is primary, and it cannot be deleted', async (stage) => {
    const { provider, session } = stage;
    const { held } = await hold(stage, null);
    const primaries = [...held.values()].filter(({ isPrimary }) => isPrimary);
    assert.equal(primaries.length, 1);
    const [{ id, readOnly, isShared, inviteEmail }] = primaries as [ProviderCalendar];
    assert.deepEqual(
      { readOnly, isShared, inviteEmail },
      { readOnly: false, isShared: false, inviteEmail: session.email },
    );
    await refusal(provider.calendars.delete(session, id), ['forbidden']);
    assert.ok((await hold(stage, null)).held.has(id));
  });

  onStage(options, 'calendars: each one’s default meeting provider is one that it allows', async (stage) => {
    for (const calendar of (await hold(stage, null)).held.values()) {
      const { allowedOnlineMeetingProviders: allowed, defaultOnlineMeetingProvider: preferred } = calendar;
      assert.ok(allowed.length === 0 ? preferred === '' : allowed.includes(preferred), calendar.id);
    }
  });
}

async function hold(
  { provider, session }: FeedPlace,
  token: string | null,
  held: Map<string, ProviderCalendar> = new Map(),
): Promise<{ readonly held: Map<string, ProviderCalendar>; readonly token: string | null }> {
  let next: string | null | undefined;
  const listed = new Set<string>();
  for await (const page of provider.calendars.pull(session, token)) {
    assert.equal(next, undefined, 'only the last page has a resume point');
    if (token === null) assert.equal(page.full, true, 'a list of all calendars is full');
    next = page.nextToken;
    for (const change of page.changes) {
      if (change.kind === 'deleted') held.delete(change.calendarId);
      else if (change.kind === 'calendar') held.set(change.calendar.id, change.calendar);
      if (change.kind === 'calendar') listed.add(change.calendar.id);
    }
    if (next !== undefined && page.full) for (const id of held.keys()) if (!listed.has(id)) held.delete(id);
  }
  assert.notEqual(next, undefined, 'the last page has a resume point, or null');
  return { held, token: next ?? null };
}

function withoutTag(calendar: ProviderCalendar | undefined): Omit<ProviderCalendar, 'providerTag'> | undefined {
  if (calendar === undefined) return undefined;
  const { providerTag: _tag, ...rest } = calendar;
  return rest;
}

async function find(place: FeedPlace, calendarId: string): Promise<ProviderCalendar | undefined> {
  return (await hold(place, null)).held.get(calendarId);
}

function names(held: ReadonlyMap<string, ProviderCalendar>): readonly string[] {
  return [...held.values()].map(({ id, name }) => `${id} ${name}`).sort();
}

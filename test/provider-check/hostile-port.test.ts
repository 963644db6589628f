import type {
  CalendarChange,
  CalendarRef,
  EventChange,
  EventPage,
  PersonBusy,
  ProviderEvent,
  ProviderSession,
} from 'kalends/ports';
import { describe, expect, it, test } from 'vitest';
import { checkProvider } from '../../src/provider-check/index.ts';
import { fakeEvent, fakeException } from '../mirror/fake-events.ts';
import { fakeCalendar, fakeProvider } from '../mirror/fake-provider.ts';

/* A provider of one's own may send anything: types are gone at run time. */

const SESSION: ProviderSession = { accountId: 'acc_1', email: 'ada@example.com', accessToken: async () => 'token' };
const CALENDAR: CalendarRef = fakeCalendar('cal_1');
const NONSENSE: readonly unknown[] = [
  undefined,
  null,
  7,
  Number.NaN,
  '',
  'x',
  true,
  [],
  [null],
  {},
  { kind: 'x' },
  () => 7,
];

const GOOD = fakeEvent('good', {
  attendees: [{ id: 'a', name: '', email: 'a@b.c', responseStatus: 'accepted', kind: 'required' }],
});
const SERIES = fakeEvent('series', { recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
const EXCEPTION = fakeException('exception', 'series', { kind: 'instant', startMs: Date.UTC(2026, 2, 3, 14) });

/** Returns what is left of changes that a provider yields. */
async function checked(changes: unknown): Promise<readonly EventChange[]> {
  const { provider } = fakeProvider();
  const page = { changes, full: true, nextToken: 't' } as EventPage;
  const events = {
    ...provider.events,
    pull: async function* () {
      yield page;
    },
  };
  for await (const one of checkProvider({ ...provider, events }).events.pull(SESSION, CALENDAR, null))
    return one.changes;
  throw new Error('no page');
}

const good: EventChange = { kind: 'event', event: GOOD };

describe.each(Object.keys(GOOD))('nonsense in %s of an event', (field) => {
  it.each(NONSENSE.map((value) => [String(JSON.stringify(value)), value]))('%s costs no other', async (_, value) => {
    const changes = await checked([
      good,
      { kind: 'event', event: { ...GOOD, providerEventId: 'odd', [field]: value } },
      good,
    ]);
    expect(changes).toHaveLength(3);
    expect([changes[0], changes[2]]).toEqual([good, good]);
    expect(['event', 'unreadable']).toContain(changes[1]?.kind);
    if (changes[1]?.kind !== 'unreadable') return;
    expect(changes[1].providerEventId).toBe(field === 'providerEventId' ? '' : 'odd');
    expect(changes[1].reason).toMatch(/^\w+: must |^\w+: is required/);
  });
});

const CONTENT = GOOD.content ?? {};

/** Fields that an event need not have. */
const OPTIONAL = new Set(['organizer', 'creator']);

test.each(Object.keys(CONTENT))('nonsense in %s of the content is unreadable, and named', async (field) => {
  for (const value of [undefined, 7, [[]], () => 7]) {
    if (value === undefined && OPTIONAL.has(field)) continue;
    const [change] = await checked([{ kind: 'event', event: { ...GOOD, content: { ...CONTENT, [field]: value } } }]);
    const reason = expect.stringMatching(`^${field}: `);
    expect(change).toEqual({ kind: 'unreadable', providerEventId: 'good', seriesId: null, reason });
  }
});

test.each(
  NONSENSE.map((value) => [String(JSON.stringify(value)), value]),
)('%s in place of a change costs no other', async (_, value) => {
  const changes = await checked([good, value, good]);
  const nonsense = {
    kind: 'unreadable',
    providerEventId: '',
    seriesId: null,
    reason: expect.stringContaining('must be'),
  };
  expect(changes).toEqual([good, nonsense, good]);
});

test('a change of an unknown kind, and changes without what they are about, cost no other', async () => {
  const odd = [
    { kind: 'moved' },
    { kind: 'event' },
    { kind: 'series', master: SERIES },
    { kind: 'deleted' },
    { kind: 'deleted', providerEventId: 'x', exceptionsMayStay: 'yes' },
    { kind: 'reread' },
  ];
  const changes = await checked([...odd, good]);
  expect(changes.map(({ kind }) => kind)).toEqual([...odd.map(() => 'unreadable'), 'event']);
});

test('an unreadable exception costs no other of its series, and an unreadable master leaves the series alone', async () => {
  const odd = { ...EXCEPTION, providerEventId: 'odd', recurrenceId: { kind: 'instant', startMs: 'x' } };
  const series = { kind: 'series', master: SERIES, exceptions: [odd, EXCEPTION, null] };
  expect(await checked([series])).toEqual([
    {
      kind: 'series',
      master: SERIES,
      exceptions: [EXCEPTION],
      unreadable: [
        {
          kind: 'unreadable',
          providerEventId: 'odd',
          seriesId: 'series',
          reason: expect.stringContaining('recurrenceId'),
        },
        { kind: 'unreadable', providerEventId: '', seriesId: null, reason: expect.stringContaining('must be') },
      ],
    },
  ]);
  const without = { ...series, master: { ...SERIES, content: null } };
  expect(await checked([without])).toMatchObject([{ kind: 'unreadable', providerEventId: 'series' }]);
});

test.each([
  ['a slot without a series', { recurrenceId: { kind: 'date', date: '2026-03-02' } }, 'recurrenceId'],
  ['a series without a slot', { seriesId: 'series' }, 'recurrenceId'],
  ['no content of an event that stands', { content: null }, 'content'],
  ['an id that leads elsewhere in an address', { providerEventId: '..' }, 'id'],
  ['an id whose UTF-8 no index takes', { providerEventId: '会'.repeat(367) }, 'id'],
])('%s is unreadable', async (_, fields, field) => {
  const [change] = await checked([{ kind: 'event', event: { ...GOOD, ...fields } as ProviderEvent }]);
  expect(change).toMatchObject({ kind: 'unreadable', reason: expect.stringMatching(`^${field}: `) });
});

test.each([
  [undefined],
  [null],
  ['x'],
  [{}],
  [7],
])('changes that are no list (%j) fail the page as malformed', async (changes) => {
  await expect(checked(changes)).rejects.toMatchObject({ reason: 'malformed' });
});

test.each([
  'get',
  'create',
  'update',
  'delete',
  'respond',
  'findCreated',
] as const)('%s: nonsense for an answer is malformed', async (method) => {
  const { provider } = fakeProvider();
  const nonsense = async () => 7 as unknown as EventChange[];
  const { events } = checkProvider({ ...provider, events: { ...provider.events, [method]: nonsense } });
  const call = (events[method] as (...given: readonly unknown[]) => Promise<unknown>)(SESSION, CALENDAR);
  await expect(call).rejects.toMatchObject({ reason: 'malformed' });
});

const CALENDAR_FIELDS = Object.keys(fakeCalendar('cal_1'));

test.each(CALENDAR_FIELDS)('nonsense in %s of a calendar costs no other calendar', async (field) => {
  for (const value of NONSENSE) {
    const { provider } = fakeProvider();
    const odd = { kind: 'calendar', calendar: { ...fakeCalendar('odd'), [field]: value } } as CalendarChange;
    const one: CalendarChange = { kind: 'calendar', calendar: fakeCalendar('good') };
    const changes = [odd, value as CalendarChange, one];
    const pull = async function* () {
      yield { changes, full: true, nextToken: null };
    };
    for await (const page of checkProvider({ ...provider, calendars: { ...provider.calendars, pull } }).calendars.pull(
      SESSION,
      null,
    )) {
      expect(page.changes).toHaveLength(3);
      expect(page.changes[1]).toEqual({ kind: 'unreadable', calendarId: '', reason: expect.any(String) });
      expect(page.changes[2]).toEqual(one);
      const [first] = page.changes;
      if (first?.kind === 'unreadable') expect(first.calendarId).toBe(field === 'id' ? '' : 'odd');
    }
  }
});

test('tags of ids that no object has are left out', async () => {
  const { provider } = fakeProvider();
  const listTags = async function* () {
    yield [
      { providerEventId: '\0', providerTag: null },
      { providerEventId: 'a', providerTag: '1' },
    ];
  };
  const { events } = checkProvider({ ...provider, events: { ...provider.events, listTags } });
  for await (const page of events.listTags?.(SESSION, CALENDAR) ?? [])
    expect(page).toEqual([{ providerEventId: 'a', providerTag: '1' }]);
  expect(events.listTags).toBeDefined();
});

describe('free/busy of people', () => {
  const window = { startMs: 0, endMs: 1 };
  const asked = async (answer: unknown) => {
    const { provider } = fakeProvider();
    const freeBusy = { query: async () => answer as readonly PersonBusy[] };
    return await checkProvider({ ...provider, freeBusy }).freeBusy?.query(SESSION, { addresses: ['a', 'b'], window });
  };
  const free = { spans: [] };

  it.each(
    NONSENSE.map((value) => [String(JSON.stringify(value)), value]),
  )('%s costs no other person', async (_, value) => {
    const [person, other] = (await asked([{ spans: value }, free]).catch(() => undefined)) ?? [];
    expect(other).toEqual(free);
    if (!Array.isArray(value) || value.length > 0) expect(person).toMatchObject({ error: { reason: 'unreadable' } });
    const spans = [{ startMs: 0, endMs: 1, type: 'busy' }, value];
    expect((await asked([{ spans }, free]))?.[0]).toMatchObject({ error: { reason: 'unreadable' } });
  });

  it('must have one answer for each address', async () => {
    for (const answer of [[], [free], [free, free, free], null, {}])
      await expect(asked(answer)).rejects.toMatchObject({ reason: 'malformed' });
  });

  it('is absent where the provider has none', () => {
    expect(checkProvider(fakeProvider().provider).freeBusy).toBeUndefined();
  });
});

import { sqlite } from '@kalends/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body, type Connected, calendarsPath, eventsPath, expectProblem, readAll, secondApplication } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const TYPE = { 'content-type': 'text/calendar' };
const importsPath = ({ accountId, calendarId }: Connected) => `${calendarsPath(accountId, calendarId)}/imports`;

/** Imports a text, and waits until the import is over. */
async function imported(of: World, account: Connected, text: string, query = ''): Promise<Json> {
  const answer = await of.call('POST', `${importsPath(account)}${query}`, { body: text, headers: TYPE });
  const begun = body(answer, 202);
  for (;;) {
    const now = body(await of.call('GET', `${importsPath(account)}/${begun.id}`));
    if (now.state !== 'running') return now;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Graph gives each event a UID of its own. */
const NO_UIDS = { uid: '', field: 'iCalUid', rule: 'is not kept: the calendar gives each event a UID of its own' };
const NONE = { waiting: 0, created: 0, updated: 0, unchanged: 0, refused: 0 };

const FILE = calendar(
  [
    'UID:lunch@example.com',
    'SUMMARY:Lunch\\; with Zoë',
    'LOCATION:Room 3',
    ...times('20260303T123000', '20260303T131500'),
  ],
  ['UID:trip@example.com', 'SUMMARY:Trip', 'DTSTART;VALUE=DATE:20260310', 'DTEND;VALUE=DATE:20260313'],
  [
    'UID:standup@example.com',
    'SUMMARY:Stand-up',
    ...times('20260323T090000', '20260323T091500'),
    'RRULE:FREQ=DAILY;COUNT=10',
  ],
  [
    'UID:standup@example.com',
    'RECURRENCE-ID;TZID=Europe/London:20260331T090000',
    'SUMMARY:Stand-up\\, late',
    ...times('20260331T110000', '20260331T112000'),
  ],
  [
    'UID:standup@example.com',
    'RECURRENCE-ID;TZID=Europe/London:20260325T090000',
    'STATUS:CANCELLED',
    ...times('20260325T090000', '20260325T091500'),
  ],
);

describe.each(PROVIDERS)('an import into $providerType', ({ provider }) => {
  let account: Connected;
  const ofFile = provider === 'microsoft' ? [NO_UIDS] : [];
  beforeAll(async () => {
    account = await world.connect(provider);
  });

  it('reports what it would do, and writes nothing', async () => {
    const report = await imported(world, account, FILE, '?dryRun=true');
    expect(report).toMatchObject({
      state: 'finished',
      dryRun: true,
      counts: { ...NONE, created: 3 },
      problems: ofFile,
    });
    expect((await readAll(world, eventsPath(account))).data).toEqual([]);
  });

  it('creates events, and series with their exceptions', async () => {
    const report = await imported(world, account, FILE);
    expect(report).toMatchObject({ state: 'finished', error: null, counts: { ...NONE, created: 3 }, problems: ofFile });
    const window = {
      startDateTime: '2026-03-01T00:00:00Z',
      endDateTime: '2026-04-30T00:00:00Z',
      expandRecurrences: true,
    };
    const { data } = await readAll(world, eventsPath(account), window);
    const shown = data.map((event) => `${event.start.dateTime.slice(0, 16)} ${event.title}`).sort();
    expect(shown).toEqual([
      '2026-03-03T12:30 Lunch; with Zoë',
      '2026-03-10T00:00 Trip',
      ...['23', '24', '26', '27', '28', '29', '30'].map((day) => `2026-03-${day}T09:00 Stand-up`),
      '2026-03-31T11:00 Stand-up, late',
      '2026-04-01T09:00 Stand-up',
    ]);
  });

  it('leaves the events of the same file as they are, and updates changed ones', async () => {
    const before = (await readAll(world, eventsPath(account))).data;
    expect((await imported(world, account, FILE)).counts).toEqual({ ...NONE, unchanged: 3 });
    expect((await readAll(world, eventsPath(account))).data).toEqual(before);
    const changed = FILE.replace('SUMMARY:Trip', 'SUMMARY:Long trip').replace('11200', '11300');
    expect((await imported(world, account, changed)).counts).toEqual({ ...NONE, updated: 2, unchanged: 1 });
    const after = (await readAll(world, eventsPath(account))).data;
    expect(after.map(({ title }) => title).sort()).toEqual(
      before.map(({ title }) => (title === 'Trip' ? 'Long trip' : title)).sort(),
    );
  });

  it('leaves its own export as it is', async () => {
    const { body: text } = await world.call('GET', `${calendarsPath(account.accountId, account.calendarId)}/export`);
    const report = await imported(world, account, text);
    expect(report).toMatchObject({ counts: { ...NONE, unchanged: 3 }, problems: ofFile });
  });

  it('creates an event anew that was deleted', async () => {
    const { data } = await readAll(world, eventsPath(account));
    const trip = data.find(({ title }) => title === 'Long trip');
    body(await world.call('DELETE', eventsPath(account, trip.id)));
    expect((await imported(world, account, FILE)).counts).toMatchObject({ created: 1 });
    const titles = (await readAll(world, eventsPath(account))).data.map(({ title }) => title);
    expect(titles.filter((title) => title === 'Trip')).toEqual(['Trip']);
  });

  it.each(['default', 'outOfOffice'])('creates an event of type %s anew as often as it was deleted', async (type) => {
    const start = times('20270601T090000', '20270601T100000');
    const file = calendar([`UID:${type}@example.com`, 'SUMMARY:Away', `X-KALENDS-EVENT-TYPE:${type}`, ...start]);
    const shown = async () => (await readAll(world, eventsPath(account))).data.filter(({ title }) => title === 'Away');
    for (let times = 0; times < 3; times += 1) {
      for (const query of ['?dryRun=true', '']) {
        expect((await imported(world, account, file, query)).counts).toEqual({ ...NONE, created: 1 });
      }
      expect(await shown()).toMatchObject([{ eventType: type }]);
      for (const query of ['?dryRun=true', '']) {
        expect((await imported(world, account, file, query)).counts).toEqual({ ...NONE, unchanged: 1 });
      }
      for (const { id } of await shown()) body(await world.call('DELETE', eventsPath(account, id)));
    }
  });

  it('names a visibility that an occurrence cannot have of its own, and imports the rest of it', async () => {
    const start = times('20260601T090000', '20260601T100000');
    const at = 'RECURRENCE-ID;TZID=Europe/London:20260602T090000';
    const file = calendar(
      ['UID:open@example.com', 'SUMMARY:Open', ...start, 'RRULE:FREQ=DAILY;COUNT=3'],
      ['UID:open@example.com', at, 'SUMMARY:Secret', 'CLASS:PRIVATE', ...times('20260602T110000', '20260602T120000')],
    );
    const field = { uid: 'open@example.com', field: 'visibility', rule: 'is that of the series here' };
    const named = provider === 'google' ? [field] : ofFile;
    for (const query of ['?dryRun=true', '']) {
      const report = await imported(world, account, file, query);
      expect(report).toMatchObject({ counts: { ...NONE, created: 1 }, problems: named });
    }
    const { data } = await readAll(world, eventsPath(account));
    const shown = ['Open', 'Secret'].map((title) => data.find((event) => event.title === title).visibility);
    expect(shown).toEqual(['default', provider === 'google' ? 'default' : 'private']);
    expect((await imported(world, account, file)).counts).toEqual({ ...NONE, unchanged: 1 });
  });

  it('names what it refuses, event by event', async () => {
    const report = await imported(
      world,
      account,
      calendar(
        ['UID:fast@example.com', 'SUMMARY:Fast', ...times('20260501T090000', '20260501T100000'), 'RRULE:FREQ=HOURLY'],
        ['UID:lost@example.com', 'RECURRENCE-ID:20260501T090000Z', 'SUMMARY:Lost', 'DTSTART:20260501T090000Z'],
        ['UID:broken@example.com', 'SUMMARY:Broken', 'DTSTART:yesterday'],
        ['UID:gap@example.com', 'SUMMARY:Gap', ...times('20260329T013000', '20260329T023000'), 'RRULE:FREQ=DAILY'],
        ['UID:good@example.com', 'SUMMARY:Good', ...times('20260502T090000', '20260502T100000')],
      ),
    );
    expect(report.counts).toEqual({ ...NONE, created: 1, refused: 4 });
    expect(report.problems.slice(0, ofFile.length)).toEqual(ofFile);
    const named = report.problems
      .slice(ofFile.length)
      .map(({ uid, field }: Json) => `${uid} ${field}`)
      .sort();
    expect(named).toEqual([
      'broken@example.com DTSTART',
      'fast@example.com recurrence',
      'gap@example.com start',
      'lost@example.com RECURRENCE-ID',
    ]);
  });
});

it('refuses what is no calendar, by the rule that it breaks', async () => {
  const account = await world.connect('google');
  const send = (text: string, headers = TYPE) => world.call('POST', importsPath(account), { body: text, headers });
  expectProblem(await send('Hello'), 400, 'InvalidRequest');
  expectProblem(await send('BEGIN:A\r\n'.repeat(20)), 400, 'InvalidRequest');
  expectProblem(await send(`BEGIN:VCALENDAR\r\nX:${'x'.repeat(4_000_001)}\r\nEND:VCALENDAR`), 400, 'InvalidRequest');
  expectProblem(await send(FILE, { 'content-type': 'text/plain' }), 415, 'UnsupportedMediaType');
  expectProblem(
    await world.call('POST', `${importsPath(account)}?dryRun=x`, { body: FILE, headers: TYPE }),
    400,
    'InvalidRequest',
  );
  expect((await readAll(world, eventsPath(account))).data).toEqual([]);
  expect((await imported(world, account, FILE)).counts, 'no refused import is under way').toMatchObject({ created: 3 });
});

it('is the application’s own', async () => {
  const account = await world.connect('google');
  const { id } = await imported(world, account, FILE);
  const other = await secondApplication(world);
  expectProblem(await world.call('GET', `${importsPath(account)}/${id}`, { key: other.key }), 404, 'NotFound');
  const foreign = { key: other.key, body: FILE, headers: TYPE };
  expectProblem(await world.call('POST', importsPath(account), foreign), 404, 'NotFound');
});

function times(start: string, end: string): string[] {
  return [`DTSTART;TZID=Europe/London:${start}`, `DTEND;TZID=Europe/London:${end}`];
}

function calendar(...events: readonly (readonly string[])[]): string {
  const lines = events.flatMap((event) => ['BEGIN:VEVENT', 'DTSTAMP:20260101T000000Z', ...event, 'END:VEVENT']);
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
}

it('goes on after a crash in the middle, and writes nothing twice', async () => {
  const storage = sqlite({ path: ':memory:' });
  let failures = 0;
  const settleItem: typeof storage.imports.settleItem = async (...args) => {
    // Each event is written, and the process ends before it has noted so.
    failures += 1;
    if (failures <= 3) throw new Error('the process ends here');
    await storage.imports.settleItem(...args);
  };
  const retried: typeof storage.imports.change = (ref, { dueInMs, ...change }) =>
    storage.imports.change(ref, { ...change, ...(dueInMs === undefined ? {} : { dueInMs: 0 }) });
  const crashing = await createWorld({
    storage: { ...storage, imports: { ...storage.imports, settleItem, change: retried } },
  });
  try {
    const account = await crashing.connect('google');
    const report = await imported(crashing, account, FILE);
    expect(report).toMatchObject({ state: 'finished', counts: { ...NONE, created: 3 } });
    const { data } = await readAll(crashing, eventsPath(account));
    const titles = data.filter(({ isException }) => !isException).map(({ title }) => title);
    expect(titles.sort()).toEqual(['Lunch; with Zoë', 'Stand-up', 'Trip']);
  } finally {
    await crashing.close();
  }
}, 60_000);

it('sends no mail, and leaves attendees out where the provider would send some', async () => {
  const meeting = calendar([
    'UID:meeting@example.com',
    'SUMMARY:Meeting',
    ...times('20260601T090000', '20260601T100000'),
    'ATTENDEE;CN=Ann:mailto:ann@example.com',
  ]);
  const onGoogle = await world.connect('google');
  expect((await imported(world, onGoogle, meeting)).problems).toEqual([]);
  const [held] = (await readAll(world, eventsPath(onGoogle))).data;
  expect(held.attendees.map(({ email }: Json) => email)).toContain('ann@example.com');
  const onMicrosoft = await world.connect('microsoft');
  const { counts, problems } = await imported(world, onMicrosoft, meeting);
  expect(counts).toEqual({ ...NONE, created: 1 });
  expect(problems).toEqual([
    NO_UIDS,
    { uid: 'meeting@example.com', field: 'attendees', rule: 'cannot be written here without mail to them' },
  ]);
  const [bare] = (await readAll(world, eventsPath(onMicrosoft))).data;
  expect(bare.attendees).toEqual([]);
});

import { createSandbox, type Sandbox, seedDemo } from '@kalends/sandbox';
import { describe, expect, test } from 'vitest';

const NOW = Date.UTC(2026, 10, 18, 12);

async function getJson(sandbox: Sandbox, provider: 'google' | 'microsoft', email: string, path: string) {
  const accessToken = await sandbox.accessToken({ provider, email });
  const response = await sandbox.fetch(
    new Request(`http://sandbox.test/${provider}${path}`, { headers: { authorization: `Bearer ${accessToken}` } }),
  );
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown> & { items?: Item[]; value?: Item[] };
}

type Item = Record<string, unknown>;

describe('seedDemo', () => {
  test('fills a Google mailbox with a shared read-only calendar, moved and cancelled occurrences', async () => {
    const sandbox = createSandbox({ clock: { now: () => NOW } });
    const demo = seedDemo(sandbox);
    const calendars = await getJson(sandbox, 'google', demo.google, '/calendar/v3/users/me/calendarList');
    expect(calendars.items?.map((item) => [item['summary'], item['accessRole']])).toEqual([
      ['ada@gmail.example', 'owner'],
      ['Home', 'owner'],
      ["Charles's office hours", 'reader'],
    ]);
    const events = await getJson(
      sandbox,
      'google',
      demo.google,
      '/calendar/v3/calendars/primary/events?singleEvents=true&orderBy=startTime&timeMin=2026-11-16T00:00:00Z&timeMax=2026-11-23T00:00:00Z',
    );
    expect(events.items?.map((item) => [item['summary'], Object.values(item['start'] as Item)[0]])).toEqual([
      ['Stand-up', '2026-11-16T09:15:00Z'],
      ['Stand-up', '2026-11-17T09:15:00Z'],
      ['Call with New York', '2026-11-17T14:00:00Z'],
      ['Team sync (moved)', '2026-11-17T14:00:00Z'],
      ['Mortgage adviser', '2026-11-18T17:00:00Z'],
      ['Review with Tokyo', '2026-11-19T08:00:00Z'],
      ['Stand-up', '2026-11-19T09:15:00Z'],
      ['Lunch with Mary', '2026-11-19T12:30:00Z'],
      ['Notes on the engine: reading', '2026-11-19T15:00:00Z'],
      ['Stand-up', '2026-11-20T11:45:00Z'],
    ]);
  });

  test('fills a Microsoft mailbox likewise', async () => {
    const sandbox = createSandbox({ clock: { now: () => NOW } });
    const demo = seedDemo(sandbox);
    const calendars = await getJson(sandbox, 'microsoft', demo.microsoft, '/v1.0/me/calendars');
    expect(calendars.value?.map((item) => [item['name'], item['canEdit']])).toEqual([
      ['Calendar', true],
      ['Home', true],
      ["Howard's office hours", false],
    ]);
    const events = await getJson(
      sandbox,
      'microsoft',
      demo.microsoft,
      '/v1.0/me/calendarView?startDateTime=2026-11-16T00:00:00Z&endDateTime=2026-11-23T00:00:00Z&$top=50&$orderby=start/dateTime',
    );
    const shown = events.value?.map((item) => [item['subject'], (item['start'] as Item)['dateTime']]);
    expect(shown).toContainEqual(['Team sync (moved)', '2026-11-17T19:00:00.0000000']);
    expect(shown).toHaveLength(10);
  });

  test('fills a CalDAV mailbox likewise, and delivers its meetings', async () => {
    const sandbox = createSandbox({ clock: { now: () => NOW } });
    const { caldav } = seedDemo(sandbox);
    const control = async (path: string) => {
      const response = await sandbox.fetch(new Request(`http://sandbox.test/_sandbox/caldav/mailboxes/${path}`));
      return (await response.json()) as { calendars: Item[]; events: Item[] };
    };
    const { calendars } = await control(`${caldav}/calendars`);
    expect(calendars.map((item) => [item['name'], item['canEdit']])).toEqual([
      ['Personal', true],
      ['Home', true],
      ["Dorothy's office hours", false],
    ]);
    const week = 'events?from=2026-11-16T00:00:00Z&to=2026-11-23T00:00:00Z';
    const { events } = await control(`${caldav}/${week}`);
    expect(events.map((item) => [item['title'], item['start']])).toContainEqual([
      'Team sync (moved)',
      '2026-11-17T14:00:00',
    ]);
    expect(events).toHaveLength(10);
    const guest = await control(`dorothy@caldav.example/${week}`);
    expect(guest.events.map((item) => item['title'])).toEqual(['Team sync (moved)']);
  });

  test.each([
    ['Sunday evening', Date.UTC(2026, 10, 22, 23, 59)],
    ['early Monday, when New York still has Sunday', Date.UTC(2026, 10, 16, 2)],
  ])('gives both mailboxes the same UTC week on %s', async (_when, now) => {
    const sandbox = createSandbox({ clock: { now: () => now } });
    const demo = seedDemo(sandbox);
    const week = 'startDateTime=2026-11-16T00:00:00Z&endDateTime=2026-11-23T00:00:00Z&$top=50';
    const events = await getJson(sandbox, 'microsoft', demo.microsoft, `/v1.0/me/calendarView?${week}`);
    expect(events.value).toHaveLength(10);
  });

  test('changes nothing the second time', () => {
    const sandbox = createSandbox({ clock: { now: () => NOW } });
    seedDemo(sandbox);
    const before = JSON.stringify([sandbox.google.snapshot(), sandbox.microsoft.snapshot()]);
    seedDemo(sandbox);
    expect(JSON.stringify([sandbox.google.snapshot(), sandbox.microsoft.snapshot()])).toBe(before);
  });
});

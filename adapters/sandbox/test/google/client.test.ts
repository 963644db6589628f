import { type calendar_v3, auth as googleAuth, calendar as googleCalendar } from '@googleapis/calendar';
import { createSandbox, type Listening, type Sandbox } from '@kalends/sandbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startReceiver } from '../push-receiver.ts';

// Google's own published client, unmodified, judges the sandbox: only its root URL is pointed here.

const ADA = 'ada@gmail.example';
const GRACE = 'grace@gmail.example';
let sandbox: Sandbox;
let listening: Listening;

beforeEach(async () => {
  sandbox = createSandbox({ seed: 11 });
  sandbox.google.addMailbox({ email: ADA, name: 'Ada', timeZone: 'Europe/London' });
  sandbox.google.addMailbox({ email: GRACE, name: 'Grace', timeZone: 'America/New_York' });
  listening = await sandbox.listen();
});

afterEach(async () => {
  await sandbox.close();
});

async function clientOf(email: string): Promise<calendar_v3.Calendar> {
  const accessToken = await sandbox.accessToken({ provider: 'google', email });
  const auth = new googleAuth.OAuth2();
  auth.setCredentials({ access_token: accessToken });
  return googleCalendar({ version: 'v3', auth, rootUrl: listening.url, retry: false });
}

async function statusOf(call: Promise<unknown>): Promise<{ status: number; reason: string | undefined }> {
  try {
    await call;
    return { status: 200, reason: undefined };
  } catch (error) {
    const response = (error as { response?: { status: number; data?: { error?: { errors?: { reason: string }[] } } } })
      .response;
    return { status: response?.status ?? 0, reason: response?.data?.error?.errors?.[0]?.reason };
  }
}

describe("Google's published client", () => {
  test('lists calendars', async () => {
    const { data } = await (await clientOf(ADA)).calendarList.list();
    expect(data.items?.map((item) => [item.id, item.primary, item.accessRole])).toEqual([[ADA, true, 'owner']]);
    expect(data.nextSyncToken).toBeTypeOf('string');
  });

  test('inserts and pages through events, with the sync token on the last page only', async () => {
    const client = await clientOf(ADA);
    for (let index = 0; index < 7; index += 1) {
      await client.events.insert({
        calendarId: 'primary',
        requestBody: {
          summary: `Meeting ${index}`,
          start: { dateTime: `2026-03-0${index + 1}T09:00:00Z` },
          end: { dateTime: `2026-03-0${index + 1}T10:00:00Z` },
        },
      });
    }
    const seen: string[] = [];
    let pageToken: string | undefined;
    let syncToken: string | null | undefined;
    let pages = 0;
    do {
      const { data } = await client.events.list({
        calendarId: 'primary',
        maxResults: 3,
        ...(pageToken === undefined ? {} : { pageToken }),
      });
      seen.push(...(data.items ?? []).map((item) => item.summary ?? ''));
      pageToken = data.nextPageToken ?? undefined;
      syncToken = data.nextSyncToken;
      pages += 1;
      expect(pageToken === undefined).toBe(syncToken != null);
    } while (pageToken !== undefined);
    expect(pages).toBe(3);
    expect(seen.sort()).toEqual([0, 1, 2, 3, 4, 5, 6].map((index) => `Meeting ${index}`));
  });

  test('syncs incrementally, tombstones included, until a 410 asks for a full list', async () => {
    const client = await clientOf(ADA);
    const insert = async (summary: string) => {
      const { data } = await client.events.insert({
        calendarId: 'primary',
        requestBody: { summary, start: { date: '2026-03-01' }, end: { date: '2026-03-02' } },
      });
      return data.id ?? '';
    };
    const kept = await insert('kept');
    const doomed = await insert('doomed');
    const first = await client.events.list({ calendarId: 'primary' });
    const syncToken = first.data.nextSyncToken ?? '';
    await client.events.delete({ calendarId: 'primary', eventId: doomed });
    const added = await insert('added');
    const second = await client.events.list({ calendarId: 'primary', syncToken });
    expect(second.data.items?.map((item) => [item.id, item.status])).toEqual([
      [doomed, 'cancelled'],
      [added, 'confirmed'],
    ]);
    const third = await client.events.list({ calendarId: 'primary', syncToken: second.data.nextSyncToken ?? '' });
    expect(third.data.items).toEqual([]);
    sandbox.google.controls['expireSyncTokens']?.({});
    expect(await statusOf(client.events.list({ calendarId: 'primary', syncToken }))).toEqual({
      status: 410,
      reason: 'fullSyncRequired',
    });
    const again = await client.events.list({ calendarId: 'primary', showDeleted: true });
    expect(again.data.items?.map((item) => item.id)).toEqual([kept, added]);
  });

  test('patches with If-Match and gets 412 for a stale etag', async () => {
    const client = await clientOf(ADA);
    const { data } = await client.events.insert({
      calendarId: 'primary',
      requestBody: { summary: 'one', start: { date: '2026-03-01' }, end: { date: '2026-03-02' } },
    });
    const patch = (summary: string, etag: string) =>
      client.events.patch(
        { calendarId: 'primary', eventId: data.id ?? '', requestBody: { summary } },
        { headers: { 'If-Match': etag } },
      );
    const patched = await patch('two', data.etag ?? '');
    expect(patched.data.summary).toBe('two');
    expect(await statusOf(patch('three', data.etag ?? ''))).toEqual({ status: 412, reason: 'conditionNotMet' });
  });

  test('watches a calendar and is told of a change made by another person', async () => {
    const receiver = await startReceiver();
    try {
      const client = await clientOf(ADA);
      const { data } = await client.events.watch({
        calendarId: 'primary',
        requestBody: { id: 'channel-1', type: 'web_hook', address: receiver.url, token: 'secret' },
      });
      expect(data.resourceId).toBeTypeOf('string');
      expect(Number(data.expiration)).toBeGreaterThan(Date.now());
      await (await clientOf(GRACE)).events.insert({
        calendarId: 'primary',
        requestBody: {
          summary: 'Lunch',
          start: { dateTime: '2026-03-01T12:00:00Z' },
          end: { dateTime: '2026-03-01T13:00:00Z' },
          attendees: [{ email: ADA }],
        },
      });
      await sandbox.notifications.idle();
      expect(receiver.received.map(({ headers }) => headers['x-goog-resource-state'])).toEqual(['sync', 'exists']);
      expect(receiver.received[1]?.headers).toMatchObject({
        'x-goog-channel-id': 'channel-1',
        'x-goog-channel-token': 'secret',
        'x-goog-resource-id': data.resourceId,
      });
      expect(receiver.received.map(({ body }) => body)).toEqual(['', '']);
      const { data: list } = await client.events.list({ calendarId: 'primary' });
      expect(list.items?.[0]).toMatchObject({
        summary: 'Lunch',
        organizer: { email: GRACE },
        attendees: [{ email: ADA, self: true, responseStatus: 'needsAction' }],
      });
      await client.channels.stop({ requestBody: { id: 'channel-1', resourceId: data.resourceId ?? '' } });
    } finally {
      await receiver.close();
    }
  });
});

// Calls each entry that runs everywhere, and returns what it answers. It uses nothing that a browser lacks.
import { createClient } from '@kalends/client';
import { verifyWebhook } from '@kalends/client/webhooks';
import { availableSlots } from 'kalends/availability';
import { describeRecurrence } from 'kalends/describe';
import { busySlots } from 'kalends/free-busy';
import { compileSeries } from 'kalends/recurrence';
import { toPatternedRecurrence } from 'kalends/recurrence/patterned';
import { formatInstant, windowsToIana } from 'kalends/zones';

const LINES = ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=4'];
const SERIES = { dtstart: '2026-03-02T09:00:00', timeZone: 'America/New_York', lines: LINES };
const SECRET = btoa('0123456789abcdef0123456789abcdef');

export async function checkPureEntries() {
  const series = compileSeries(SERIES);
  const hour = 3_600_000;
  const occurrences = series.occurrences({ from: Date.UTC(2026, 0, 1), to: Date.UTC(2027, 0, 1) });
  const slots = occurrences.map(({ startMs }) => ({ startMs, endMs: startMs + hour }));
  return {
    starts: occurrences.map(({ startMs }) => formatInstant('America/New_York', startMs)),
    words: describeRecurrence(LINES),
    pattern: toPatternedRecurrence(SERIES).pattern,
    busy: busySlots(slots, { startMs: Date.UTC(2026, 2, 2), endMs: Date.UTC(2026, 2, 3) }),
    available: availableSlots({
      window: { startMs: Date.UTC(2026, 2, 2, 12), endMs: Date.UTC(2026, 2, 2, 17) },
      durationMs: hour,
      stepMs: hour,
      timeZone: 'America/New_York',
      participants: [{ id: 'ada', timeZone: 'America/New_York', busy: slots }],
    }).slots.map(({ start }) => start),
    zone: windowsToIana('Eastern Standard Time'),
    client: await callWithClient(),
    webhook: await verifyOwnWebhook(),
  };
}

async function callWithClient() {
  const requests = [];
  const client = createClient({
    baseUrl: 'https://calendar.example.com/api',
    apiKey: 'kal_live_key',
    fetch: async (url, init) => {
      const { method, headers } = new Request(url, init);
      requests.push(`${method} ${url} ${headers.get('x-api-key')}`);
      return Response.json({ data: [{ id: 'acc_1' }], nextPageToken: null });
    },
  });
  const ids = [];
  for await (const { id } of client.accounts.list({ statusFilter: 'active' })) ids.push(id);
  return { ids, requests };
}

async function verifyOwnWebhook() {
  const body = '{"eventType":"calendar.event.changed","timestamp":"2026-03-02T09:00:00.000Z"}';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const bytes = (text) => Uint8Array.from(text, (character) => character.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', bytes(atob(SECRET)), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(`msg_1.${timestamp}.${body}`)));
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
  };
  const { id } = verifyWebhook(body, headers, `whsec_${SECRET}`);
  return id;
}

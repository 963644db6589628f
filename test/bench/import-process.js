// One measurement of an import in a process of its own: node import-process.js TARGET EVENTS BYTES_OF_EACH [dry]
// TARGET: google, microsoft, caldav, or parse for the reading of the file alone. Prints a line of JSON.
import { caldav } from '@kalends/caldav';
import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { streamComponents } from 'kalends/icalendar';

const [target, count, size, mode] = process.argv.slice(2);
const SANDBOX_URL = 'http://sandbox.test';
const EMAIL = 'ada@people.example';
let requests = 0;
let requestMs = 0;

/** Yields a file of so many events, in parts as they come from a socket. */
async function* file() {
  yield Buffer.from('BEGIN:VCALENDAR\r\nVERSION:2.0\r\n');
  const description = 'x'.repeat(Math.max(0, Number(size) - 200));
  for (let index = 0; index < Number(count); index += 1) {
    const day = new Date(Date.UTC(2026, 0, 1 + (index % 365))).toISOString().slice(0, 10).replaceAll('-', '');
    const lines = [`UID:event-${index}@example.com`, `DTSTART:${day}T090000Z`, `DTEND:${day}T100000Z`];
    const more = [`SUMMARY:Event ${index}`, ...(description === '' ? [] : [`DESCRIPTION:${description}`])];
    yield Buffer.from(`${['BEGIN:VEVENT', ...lines, ...more, 'END:VEVENT'].join('\r\n')}\r\n`);
  }
  yield Buffer.from('END:VCALENDAR\r\n');
}

async function openEngine() {
  const sandbox = createSandbox({ seed: 1 });
  const fetch = async (input, init) => {
    const begin = performance.now();
    const response = await sandbox.fetch(new Request(input, init));
    requests += 1;
    requestMs += performance.now() - begin;
    return response;
  };
  const ofAdapters = { fetch, limits: { callsPerInterval: Number.POSITIVE_INFINITY } };
  const engine = createEngine({
    storage: sqlite({ path: `${process.env.KALENDS_BENCH_FOLDER}/${target}-${count}.db` }),
    providers: {
      GOOGLE: google({ ...googleEndpoints(`${SANDBOX_URL}/google`), ...ofAdapters }),
      MICROSOFT: microsoft({ ...microsoftEndpoints(`${SANDBOX_URL}/microsoft`), ...ofAdapters }),
      CALDAV: caldav(ofAdapters),
    },
    secret: Buffer.alloc(32, 7).toString('base64'),
    publicUrl: 'http://kalends.test',
  });
  await engine.start();
  const { id: applicationId } = await engine.applications.create({ name: 'Bench', redirectUrls: [] });
  sandbox[target].addMailbox({ email: EMAIL, name: 'Ada', timeZone: 'Europe/Berlin' });
  const providerType = target.toUpperCase();
  const account = await connect(engine, sandbox, { applicationId, providerType });
  return { engine, caller: { applicationId }, accountId: account.id };
}

async function connect(engine, sandbox, { applicationId, providerType }) {
  const caller = { applicationId };
  if (target === 'caldav') {
    const password = sandbox.caldav.addAppPassword({ email: EMAIL });
    const credentials = { kind: 'password', serverUrl: `${SANDBOX_URL}/caldav/`, username: EMAIL, password };
    return (await engine.accounts.upsert(caller, { email: EMAIL, providerType, credentials })).account;
  }
  const client = { clientId: 'client', clientSecret: 'secret' };
  sandbox[target].addClient({ ...client, redirectUris: [] });
  await engine.oauthClients.set(applicationId, providerType, client);
  const refreshToken = sandbox[target].issueRefreshToken({ email: EMAIL, clientId: 'client' });
  return (await engine.accounts.upsert(caller, { email: EMAIL, providerType, refreshToken })).account;
}

/** Repeats a read until the first synchronisation is over. */
async function synced(read) {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (error.code !== 'CalendarSyncing') throw error;
    }
  }
}

async function measureImport() {
  const { engine, caller, accountId } = await openEngine();
  const { data } = await synced(() => engine.calendars.list(caller, accountId));
  const { id: calendarId } = data.find(({ isPrimary }) => isPrimary);
  await synced(() => engine.events.list(caller, accountId, calendarId));
  [requests, requestMs] = [0, 0];
  const begin = performance.now();
  let now = await engine.imports.create(caller, accountId, calendarId, file(), { dryRun: mode === 'dry' });
  const readMs = performance.now() - begin;
  while (now.state === 'running') {
    await new Promise((resolve) => setTimeout(resolve, 100));
    now = await engine.imports.get(caller, accountId, calendarId, now.id);
  }
  const tookMs = performance.now() - begin;
  await engine.stop();
  return { state: now.state, counts: now.counts, readMs, tookMs, requests, requestMs };
}

async function measureParse() {
  const begin = performance.now();
  let components = 0;
  for await (const { isCalendar } of streamComponents(file(), () => {})) components += isCalendar ? 0 : 1;
  return { components, tookMs: performance.now() - begin };
}

const measured = target === 'parse' ? await measureParse() : await measureImport();
const cpuMs = Math.round(process.resourceUsage().userCPUTime / 1000);
console.log(JSON.stringify({ ...measured, cpuMs, peakMb: Math.round(process.resourceUsage().maxRSS / 1024) }));

import { cpus } from 'node:os';
import { caldav } from '@kalends/caldav';
import { sqlite } from '@kalends/sqlite';
import { type Caller, createEngine, type Engine } from 'kalends';
import type { Fetch } from 'kalends/ports';
import { cpuMs, median, table } from '../../bench/measure.js';
import type { CalendarServer } from '../start/calendar-server.ts';
import { SERVER_NAMES } from '../start/calendar-server.ts';
import { startServers } from '../start/start-servers.ts';
import { type BareRequests, bareRequests, localFetch } from './bare-requests.ts';

/**
 * Measures kalends beside bare requests at real CalDAV servers: `npm run test:servers -- --figures`, with names of servers and
 * `--events=1000` for a smaller calendar. Each figure is the median of 15 rounds; of first pulls, the slower of two.
 */
export async function main(...words: readonly string[]): Promise<void> {
  const events = Number(words.find((word) => word.startsWith('--events='))?.slice('--events='.length) ?? 10_000);
  const names = words.filter((word) => SERVER_NAMES.some((name) => name === word));
  const { servers, stop } = await startServers(names);
  try {
    const [{ model = '' } = {}, ...others] = cpus();
    console.info(`\nNode ${process.version}, ${others.length + 1} × ${model}; ${events} events`);
    const head = ['server', 'measured', 'bare', 'kalends', 'requests', 'of it CPU here'];
    const rows: string[][] = [];
    for (const server of servers) rows.push(...(await measure(server, events)));
    table([head, ...rows]);
  } finally {
    await stop();
  }
}

const ROUNDS = 15;
const FIRST_PULLS = 2;

/** Time and requests of one act. */
interface Cost {
  readonly ms: number;
  readonly cpu: number;
  readonly requests: number;
}

async function measure(server: CalendarServer, events: number): Promise<string[][]> {
  const bare = await bareRequests(server, 'figures');
  const begin = performance.now();
  await fill(bare, server, events);
  console.info(`${server.name}: filled with ${events} events in ${seconds(performance.now() - begin)}`);
  let requests = 0;
  const counted = async (act: () => Promise<unknown>): Promise<Cost> => {
    const [before, cpu, started] = [requests, cpuMs(), performance.now()];
    await act();
    return { ms: performance.now() - started, cpu: cpuMs() - cpu, requests: requests - before };
  };
  const counting: Fetch = (input, init) => {
    requests += 1;
    return localFetch(input, init);
  };
  // A server that is asked for the first time fills its caches (Radicale: a minute for 10,000 events).
  await pullWhole(bare, events);
  const firstBare = await repeat(FIRST_PULLS, () => counted(() => pullWhole(bare, events)));
  const first: Cost[] = [];
  let engine: World | undefined;
  for (let round = 0; round < FIRST_PULLS; round += 1) {
    await engine?.stop();
    const opened = await connect(server, bare, counting);
    engine = opened;
    first.push(await counted(() => opened.read()));
  }
  if (engine === undefined) throw new Error('no first pull was measured');
  const { edit, read, stop } = engine;
  const pollBare = await repeat(ROUNDS, () => counted(() => bare.poll()));
  const poll = await repeat(ROUNDS, () => counted(() => read()));
  let number = 0;
  const renamed = (text: string) => text.replace(/SUMMARY:.*/, `SUMMARY:Renamed ${++number}`);
  const editBare = await repeat(ROUNDS, () => counted(() => bare.edit(renamed)));
  const edits = await repeat(ROUNDS, () => counted(() => edit(`Renamed ${++number}`)));
  await stop();
  return [
    row(server.name, 'first pull', firstBare, first),
    row('', 'empty poll', pollBare, poll),
    row('', 'edit', editBare, edits),
  ];
}

async function pullWhole(bare: BareRequests, events: number): Promise<void> {
  const found = await bare.pull();
  if (found !== events) throw new Error(`${found} of ${events} events were read`);
}

async function repeat<Result>(times: number, act: () => Promise<Result>): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let round = 0; round < times; round += 1) results.push(await act());
  return results;
}

function row(name: string, what: string, bare: readonly Cost[], own: readonly Cost[]): string[] {
  const of = (costs: readonly Cost[], key: keyof Cost) => median(costs.map((cost) => cost[key]));
  const cost = [of(bare, 'ms'), of(own, 'ms')].map(seconds);
  return [name, what, ...cost, String(of(own, 'requests')), seconds(of(own, 'cpu'))];
}

const seconds = (ms: number) => (ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** Puts events into the calendar: one in ten recurs. */
async function fill(bare: BareRequests, { name }: CalendarServer, events: number): Promise<void> {
  // A PUT takes Radicale longer with each object that is there.
  if (name === 'radicale')
    return bare.putAll(calendarOf(Array.from({ length: events }, (_, number) => eventOf(number))));
  for (let at = 0; at < events; at += 4) {
    const numbers = [at, at + 1, at + 2, at + 3].filter((number) => number < events);
    await Promise.all(numbers.map((number) => bare.put(`event-${number}.ics`, calendarOf([eventOf(number)]))));
  }
}

function calendarOf(events: readonly string[]): string {
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//kalends//figures//EN'];
  return [...head, ...events, 'END:VCALENDAR', ''].join('\r\n');
}

function eventOf(number: number): string {
  const day = new Date(Date.UTC(2025, 0, 1) + (number % 700) * 86_400_000)
    .toISOString()
    .slice(0, 10)
    .replaceAll('-', '');
  const hour = String(6 + (number % 12)).padStart(2, '0');
  return [
    ...['BEGIN:VEVENT', `UID:figure-${number}@kalends`, 'DTSTAMP:20250101T000000Z'],
    ...[`DTSTART:${day}T${hour}0000Z`, `DTEND:${day}T${hour}3000Z`, `SUMMARY:Event ${number}`],
    ...[
      'LOCATION:Room 4\\, second floor',
      'DESCRIPTION:Notes of an ordinary length\\, as people write them for a meeting.',
    ],
    ...(number % 10 === 0 ? ['RRULE:FREQ=WEEKLY;COUNT=20'] : []),
    'END:VEVENT',
  ].join('\r\n');
}

/** A person's account in a new engine. */
interface World {
  /** Reads one event of the calendar, which asks the server first. */
  read(): Promise<unknown>;
  edit(title: string): Promise<unknown>;
  stop(): Promise<void>;
}

async function connect(server: CalendarServer, bare: BareRequests, fetch: Fetch): Promise<World> {
  const engine: Engine = createEngine({
    storage: sqlite({ path: ':memory:' }),
    providers: { CALDAV: caldav({ fetch, limits: { callsPerInterval: Number.POSITIVE_INFINITY } }) },
    secret: Buffer.alloc(32, 3).toString('base64'),
    publicUrl: 'http://kalends.test',
    measurements: false,
    // Each read asks the server, and no poll comes between.
    sync: { freshWithoutPushMs: 1, readWaitMs: 600_000, pollWithoutPushMs: 86_400_000 },
  });
  await engine.start({ background: false });
  const { id: applicationId } = await engine.applications.create({ name: 'Figures', redirectUrls: [] });
  const caller: Caller = { applicationId };
  const { username, password, email } = server.alice;
  const credentials = { kind: 'password', serverUrl: server.url, username, password } as const;
  const { account } = await engine.accounts.upsert(caller, { providerType: 'CALDAV', email, credentials });
  await engine.calendars.list(caller, account.id);
  const idOf = (path: string) => Buffer.from(decodeURIComponent(path)).toString('base64url');
  const calendarId = idOf(new URL(bare.url).pathname);
  const eventId = idOf(bare.edited());
  return {
    read: () => engine.events.list(caller, account.id, calendarId, { limit: 1 }),
    edit: (title) => engine.events.update(caller, account.id, calendarId, eventId, { title }),
    stop: () => engine.stop(),
  };
}

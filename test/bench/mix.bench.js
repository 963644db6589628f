// Mixes of requests as products make them, over HTTP on SQLite, with the page cache and without it: what it earns. Calendars are
// asked for by Zipf's law: the second most popular half as often as the first, the tenth a tenth as often.
import { Agent, request } from 'node:http';
import { startChild } from './child-process.js';
import { median, table } from './measure.js';

const ROUNDS = Number(process.env.KALENDS_MIX_ROUNDS ?? 5);
const REQUESTS = 2_000;
const CONNECTIONS = 8;
const CALENDARS = 60;
const FIRST_MS = Date.UTC(2026, 2, 2);
const DAY_MS = 86_400_000;
const WORLD = { calendars: CALENDARS, eventsEach: 190, seriesEach: 10, firstMs: FIRST_MS };
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata'];
/** Of 100 requests: of a product that keeps copies by sync tokens, and of one that shows what it is answered. */
const MIXES = {
  'with copies': { sync: 45, month: 20, week: 10, list: 5, event: 8, busy: 7, write: 5 },
  'without copies': { month: 45, week: 25, list: 5, event: 13, busy: 10, write: 2 },
};

/** Numbers from 0 to 1 that are the same in each run. */
function createDraw(seed) {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Draws an index by weights. */
function createChoice(draw, weights) {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return () => {
    let rest = draw() * sum;
    for (const [index, weight] of weights.entries()) {
      rest -= weight;
      if (rest < 0) return index;
    }
    return weights.length - 1;
  };
}

/** What clients ask for, in this order: a kind, a calendar and what they look at. */
function traceOf(shares, seed) {
  const draw = createDraw(seed);
  const calendar = createChoice(
    draw,
    Array.from({ length: CALENDARS }, (_, index) => 1 / (index + 1)),
  );
  const kind = createChoice(draw, Object.values(shares));
  return Array.from({ length: REQUESTS }, () => ({
    kind: Object.keys(shares)[kind()],
    calendar: calendar(),
    // Most look at the present month or week, some at the next one.
    ahead: draw() < 0.7 ? 0 : draw() < 0.7 ? 1 : 2,
    zone: ZONES[Math.floor(draw() ** 2 * ZONES.length)],
    event: Math.floor(draw() * 20),
  }));
}

const inUtc = (ms) => new Date(ms).toISOString();

/** Returns how to ask a server for each kind. */
function askerOf({ url, key, accountId, copies }, agent) {
  const call = (path, body, method = body === undefined ? 'GET' : 'POST') =>
    new Promise((resolve, reject) => {
      const headers = { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
      const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
        response.on('end', () => {
          if (response.statusCode < 300) resolve(Buffer.concat(chunks));
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${Buffer.concat(chunks)}`));
        });
      });
      sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  const window = (from, days, zone) =>
    `startDateTime=${inUtc(from)}&endDateTime=${inUtc(from + days * DAY_MS)}&expandRecurrences=true&orderBy=startDateTime&timeZone=${zone}`;
  const kinds = {
    async sync(copy, base) {
      const { nextSyncToken } = JSON.parse(await call(`${base}?pageSize=1000&syncToken=${copy.syncToken}`));
      copy.syncToken = nextSyncToken ?? copy.syncToken;
    },
    month: (_, base, { ahead, zone }) => call(`${base}?${window(FIRST_MS + ahead * 28 * DAY_MS, 35, zone)}`),
    week: (_, base, { ahead, zone }) => call(`${base}?${window(FIRST_MS + ahead * 7 * DAY_MS, 7, zone)}`),
    list: (_, base) => call(`${base}?pageSize=250`),
    event: ({ events }, base, { event }) => call(`${base}/${events[event]}`),
    busy: ({ id }) =>
      call(`/v1/freeBusy/${accountId}`, {
        startDateTime: inUtc(FIRST_MS),
        endDateTime: inUtc(FIRST_MS + 14 * DAY_MS),
        timeZone: 'UTC',
        calendarIds: [id],
      }),
    write: ({ events }, base, { event, ahead }) =>
      call(`${base}/${events[event]}`, { title: `Title ${event} ${ahead} ${Math.random()}` }, 'PUT'),
  };
  return (wanted) => {
    const copy = copies[wanted.calendar];
    return kinds[wanted.kind](copy, `/v1/events/${accountId}/${encodeURIComponent(copy.id)}`, wanted);
  };
}

/** Plays a trace against a server; resolves with its rate and the times of each kind. */
async function play(ask, trace) {
  const times = Object.fromEntries(trace.map(({ kind }) => [kind, []]));
  let next = 0;
  const begin = performance.now();
  const client = async () => {
    for (let wanted = trace[next++]; wanted !== undefined; wanted = trace[next++]) {
      const from = performance.now();
      await ask(wanted);
      times[wanted.kind].push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  return { rate: (trace.length / (performance.now() - begin)) * 1_000, times };
}

async function startServer(preload) {
  const child = startChild(
    'mix-process.js',
    [JSON.stringify(WORLD)],
    ['--import', new URL(preload, import.meta.url).href],
  );
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const ask = askerOf(await child.told(), agent);
  const used = () => {
    child.tell('used');
    return child.told();
  };
  return {
    async round(trace) {
      await used();
      const played = await play(ask, trace);
      // The other server's turn may be as long as the server keeps an idle connection.
      agent.destroy();
      return { ...played, ...(await used()) };
    },
    stop: child.stop,
  };
}

const ms = (value) => `${value.toFixed(1)} ms`;
const change = ([cached, plain]) => `${cached < plain ? '' : '+'}${Math.round((cached / plain - 1) * 100)} %`;

async function compare(servers, name, shares) {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const trace = traceOf(shares, round + 1);
    const outcomes = [];
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) outcomes[at] = await servers[at].round(trace);
    // In the first round the servers are warmed up.
    if (round > 0) rounds.push(outcomes);
  }
  const of = (pick) => [0, 1].map((at) => median(rounds.map((outcomes) => pick(outcomes[at]))));
  const [found, asked] = ['found', 'asked'].map((count) => rounds.reduce((sum, [cached]) => sum + cached[count], 0));
  const shown = Object.entries(shares).map(([kind, share]) => `${kind} ${share} %`);
  console.log(
    `\n${name}: ${shown.join(', ')}; the cache had ${Math.round((found / asked) * 100)} % of the pages it was asked for`,
  );
  const rate = of((outcome) => outcome.rate);
  const cpu = of((outcome) => outcome.cpu / REQUESTS);
  const rows = Object.keys(shares).map((kind) => [kind, of(({ times }) => median(times[kind]))]);
  table([
    ['', 'with the cache', 'without it', 'change'],
    ['requests a second', ...rate.map((value) => `${Math.round(value)}`), change(rate)],
    ['CPU of a request', ...cpu.map(ms), change(cpu)],
    ...rows.map(([kind, times]) => [`median of ${kind}`, ...times.map(ms), change(times)]),
  ]);
}

export async function run() {
  const servers = [];
  try {
    for (const preload of ['counted-page-cache.js', 'without-page-cache.js']) servers.push(await startServer(preload));
    console.log(
      `\nMixes of requests over HTTP, SQLite, ${CALENDARS} calendars of ${WORLD.eventsEach + WORLD.seriesEach} events, ${CONNECTIONS} at a time, medians of ${ROUNDS} rounds of ${REQUESTS}`,
    );
    for (const [name, shares] of Object.entries(MIXES)) await compare(servers, name, shares);
  } finally {
    for (const server of servers) server.stop();
  }
}

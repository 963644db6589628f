// Pages of 250 events over HTTP beside bare node:http that sends the same bytes, the clients in a process of their own: pages
// that are asked for again, and each for the first time. Below, what bare node:http does with the bare driver behind it.
import { createServer } from 'node:http';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { fillBare, readBarePage } from './bare-reads.js';
import { startChild } from './child-process.js';
import { cpuMs, median, table } from './measure.js';
import { onEachStorage } from './on-each-storage.js';
import { createWorld, placesOfPages } from './pulled-world.js';

const CONNECTIONS = [1, 32];
const ROUNDS = 5;
const MS = 1_500;
/** Zones to show a page in: so many other pages, more than are asked for in all rounds. */
const ZONES = Array.from({ length: 26 }, (_, index) => `Etc/GMT${index < 13 ? '%2B' : '-'}${index % 13}`);

async function listen(listener) {
  const server = createServer(listener);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close().closeAllConnections() };
}

/** Answers a second, and the milliseconds of CPU that one costs this process. */
async function loadOf(clients, request) {
  const cpu = cpuMs();
  clients.tell({ ms: MS, ...request });
  const { answers, tookMs } = await clients.told();
  return { rate: (answers / tookMs) * 1_000, cpu: (cpuMs() - cpu) / answers };
}

/** Medians of a few turns about. */
async function compare(clients, urls, bareUrl, rest) {
  const pairs = [];
  await loadOf(clients, { urls, ...rest });
  for (let round = 0; round < ROUNDS; round += 1) {
    const ours = await loadOf(clients, { urls, ...rest });
    pairs.push([ours, await loadOf(clients, { urls: [bareUrl], ...rest })]);
  }
  const rate = (at) => `${Math.round(median(pairs.map((pair) => pair[at].rate)))}/s`;
  const share = (of) => `${Math.round(median(pairs.map(of)) * 100)} %`;
  return [rate(0), rate(1), share(([our, bare]) => our.rate / bare.rate), share(([our, bare]) => bare.cpu / our.cpu)];
}

async function measure(name, storage, driver, clients) {
  const world = await createWorld(storage);
  const { engine, account, primary, key } = world;
  world.leaveProvider();
  await fillBare(driver, world);
  const headers = { 'x-api-key': key };
  const ours = await listen(nodeListener(createHandler(engine)));
  const page = `${ours.url}/v1/events/${account.id}/${encodeURIComponent(primary)}?pageSize=250`;
  const bytes = Buffer.from(await (await fetch(page, { headers })).arrayBuffer());
  const bare = await listen((_request, response) => response.setHeader('content-type', 'application/json').end(bytes));
  const places = await placesOfPages(world);
  let read = 0;
  const reading = await listen(async (_request, response) => {
    const { lastId } = places[read++ % places.length];
    response.setHeader('content-type', 'application/json').end(await readBarePage(driver, primary, lastId));
  });
  const pages = ZONES.flatMap((zone) =>
    places.map(({ pageToken }) => `${page}&pageToken=${pageToken}&timeZone=${zone}`),
  );
  const rows = [];
  for (const connections of CONNECTIONS) {
    const rest = { headers, connections };
    const at = `${connections} at a time`;
    rows.push([name, `asked for again, ${at}`, ...(await compare(clients, [page], bare.url, rest))]);
    rows.push([name, `for the first time, ${at}`, ...(await compare(clients, pages, bare.url, rest))]);
    rows.push([name, `  bare driver and node:http, ${at}`, ...(await compare(clients, [reading.url], bare.url, rest))]);
  }
  for (const server of [ours, bare, reading]) server.close();
  await engine.stop();
  return { rows, size: `${Math.round(bytes.length / 1024)} kB` };
}

export async function run() {
  const clients = startChild('pages-load-process.js', []);
  let bytes;
  try {
    const rows = await onEachStorage(async (name, storage, driver) => {
      const { rows: measured, size } = await measure(name, storage, driver, clients);
      bytes = size;
      return measured;
    });
    console.log(`\nPages of 250 events (${bytes}) over HTTP, beside bare node:http that sends the same bytes`);
    table([['storage', 'page', 'ours', 'bare', 'share of bare', 'by CPU'], ...rows]);
  } finally {
    clients.stop();
  }
}

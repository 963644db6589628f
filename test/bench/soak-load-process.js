// The surroundings of the soak's engine, in a process of their own: the clients, those who change the calendars at the
// provider, and the receiver of the webhooks. Tells the receiver's URL, is told the world, and tells the counts.
import { once } from 'node:events';
import { createServer } from 'node:http';

const WORKERS = 4;
const MONTH = 'startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-04-01T00:00:00Z';
const counts = { delivered: 0 };

/** An answer that a server under too much load gives: it is counted, and the soak goes on. */
class Overloaded extends Error {}

async function requestJson(url, { method = 'GET', headers, body } = {}) {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (response.status >= 400) {
    const Refusal = [429, 503, 504].includes(response.status) ? Overloaded : Error;
    throw new Refusal(`${method} ${url}: ${response.status} ${JSON.stringify(answer)}`);
  }
  return answer;
}

/** A caller of the provider for one mailbox; its access token lives an hour and is fetched anew well before. */
function providerCaller({ sandbox }, email) {
  let token;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  return async (path, options) => {
    if (performance.now() - fetchedAt > 1_800_000) {
      fetchedAt = performance.now();
      const body = { email };
      token = requestJson(`${sandbox}/_sandbox/google/access-tokens`, { method: 'POST', body });
    }
    const { accessToken } = await token;
    const url = `${sandbox}/google/calendar/v3/calendars/${encodeURIComponent(email)}${path}`;
    return requestJson(url, { headers: { authorization: `Bearer ${accessToken}` }, ...options });
  };
}

/** The kinds of things a client does, each for one account. */
function thingsOf({ url, key }) {
  const call = (path, options) => requestJson(`${url}${path}`, { headers: { 'x-api-key': key }, ...options });
  const baseOf = ({ id, email }) => `/v1/events/${id}/${encodeURIComponent(email)}`;
  return {
    pages: (account) => call(`${baseOf(account)}?pageSize=250`),
    months: (account) => call(`${baseOf(account)}?${MONTH}&expandRecurrences=true&orderBy=startDateTime`),
    async syncs(account) {
      const base = baseOf(account);
      const since = account.syncToken === undefined ? '' : `&syncToken=${account.syncToken}`;
      let page = await call(`${base}?pageSize=1000${since}`);
      while (page.nextPageToken !== undefined) page = await call(`${base}?pageToken=${page.nextPageToken}`);
      account.syncToken = page.nextSyncToken;
    },
    busy: ({ id, email }) =>
      call(`/v1/freeBusy/${id}`, {
        method: 'POST',
        body: {
          startDateTime: '2026-03-01T00:00:00Z',
          endDateTime: '2026-04-01T00:00:00Z',
          timeZone: 'UTC',
          calendarIds: [email],
        },
      }),
    async writes(account) {
      const base = baseOf(account);
      const start = { dateTime: '2026-05-01T09:00:00', timeZone: 'Europe/Berlin' };
      const created = await call(base, { method: 'POST', body: { title: 'Made here', start } });
      await call(`${base}/${created.id}`, { method: 'PUT', body: { title: 'Changed here' } });
      await call(`${base}/${created.id}`, { method: 'DELETE' });
    },
    async changes(account, turn) {
      for (const { id } of (await account.atProvider('/events?maxResults=5')).items ?? []) {
        const body = { summary: `Changed in turn ${turn}` };
        await account.atProvider(`/events/${id}`, { method: 'PATCH', body });
      }
    },
  };
}

function overload(error) {
  if (!(error instanceof Overloaded)) throw error;
  return 'given up under load';
}

/** One client does everything with one account, one thing after the other, then with the next one, until the end. */
async function runClient(world, accounts, { first, endsAt }) {
  const things = Object.entries(thingsOf(world));
  for (let turn = 0; performance.now() < endsAt; turn += 1) {
    const [name, work] = things[turn % things.length];
    const account = accounts[(first + Math.floor(turn / things.length)) % accounts.length];
    const outcome = await work(account, turn).then(() => name, overload);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
}

const receiver = createServer((request, response) => {
  counts.delivered += 1;
  request.resume().on('end', () => response.writeHead(204).end());
});
receiver.keepAliveTimeout = 600_000;
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
process.send({ receiver: `http://127.0.0.1:${receiver.address().port}` });
const [world] = await once(process, 'message');
process.once('disconnect', () => process.exit());
const accounts = world.accounts.map((account) => ({ ...account, atProvider: providerCaller(world, account.email) }));
const endsAt = performance.now() + world.minutes * 60_000;
await Promise.all(Array.from({ length: WORKERS }, (_, first) => runClient(world, accounts, { first, endsAt })));
process.send(counts);

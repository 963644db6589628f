// Clients of the benchmark of pages, in a process of their own. For each message: so many connections ask for the URLs in
// their turn, for so long; answers how many answers came, and in how many milliseconds.
import { Agent, get } from 'node:http';

const WAIT_MS = 10_000;
/** How often the URLs of a list have been asked for, by the first of them: the next message goes on from there. */
const asked = new Map();

const fetchOnce = (url, options) =>
  new Promise((resolve, reject) => {
    const request = get(url, { ...options, timeout: WAIT_MS }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.on('end', resolve).on('error', reject).resume();
    });
    request.on('error', reject).on('timeout', () => request.destroy(new Error(`${url} did not answer`)));
  });

process.on('message', async ({ urls, headers, connections, ms }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const begin = performance.now();
  const before = asked.get(urls[0]) ?? 0;
  let next = before;
  const client = async () => {
    while (performance.now() - begin < ms) await fetchOnce(urls[next++ % urls.length], { agent, headers });
  };
  await Promise.all(Array.from({ length: connections }, client));
  asked.set(urls[0], next);
  process.send({ answers: next - before, tookMs: performance.now() - begin });
  agent.destroy();
});
process.on('disconnect', () => process.exit());

// An engine behind HTTP in a process of its own, which measures how long each turn of its event loop takes.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { google, googleEndpoints } from '@kalends/google';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { slowness } from '../../machine-pace.ts';

const CLIENT = { clientId: 'kalends-tests', clientSecret: 'a-secret' };
const sandboxUrl = process.argv[2] ?? '';

/**
 * The longest turn since the last question, on a quiet machine. What counts is the lesser of the time that passed and the CPU time that was
 * used: a turn in which another process had the core is not long, nor one in which only other threads worked.
 */
function turnMeter(): () => number {
  let longestMs = 0;
  let at = performance.now();
  let cpu = process.cpuUsage();
  const begin = () => {
    cpu = process.cpuUsage();
    at = performance.now();
  };
  const beat = () => {
    const used = process.cpuUsage(cpu);
    const now = performance.now();
    longestMs = Math.max(longestMs, Math.min(now - at, (used.user + used.system) / 1000));
    begin();
    setImmediate(beat);
  };
  setImmediate(beat);
  return () => {
    const longest = longestMs / slowness();
    longestMs = 0;
    // The question's own turn does not count.
    begin();
    return longest;
  };
}

let handler: (request: Request) => Promise<Response> = async () => new Response(null, { status: 503 });
const server = createServer(nodeListener((request) => handler(request)));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const engine = createEngine({
  storage: sqlite({ path: ':memory:' }),
  providers: {
    PROVIDER_A: google(googleEndpoints(`${sandboxUrl}/google`)),
    PROVIDER_B: microsoft(microsoftEndpoints(`${sandboxUrl}/microsoft`)),
  },
  secret: Buffer.alloc(32, 3).toString('base64'),
  publicUrl: url,
});
await engine.start();
handler = createHandler(engine);
const application = await engine.applications.create({ name: 'Attacked', redirectUrls: [] });
for (const providerType of ['PROVIDER_A', 'PROVIDER_B']) {
  await engine.oauthClients.set(application.id, providerType, CLIENT);
}
const { key } = await engine.apiKeys.create(application.id, { name: 'Attacked', expiresAt: null });

const longestTurn = turnMeter();
process.on('message', () => process.send?.({ longestTurnMs: longestTurn() }));
process.on('disconnect', () => process.exit());
process.send?.({ url, key });

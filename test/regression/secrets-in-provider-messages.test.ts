import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import type { Logger } from 'kalends/ports';
import { ProviderError } from 'kalends/ports';
import { expect, it } from 'vitest';
import { calendarsPath, eventsPath } from '../interface/steps.ts';
import { createWorld, PROVIDERS, type World } from '../interface/world.ts';

it.each([
  ['no Bearer abc.def-1 here', 'no Bearer *** here'],
  [
    'POST /token?refresh_token=r1&client_secret=s1&grant_type=x',
    'POST /token?refresh_token=***&client_secret=***&grant_type=x',
  ],
  ['{"access_token": "a1", "code": "invalidRange"}', '{"access_token": "***", "code": "invalidRange"}'],
  ['GET /callback?code=4/0Ab&state=x', 'GET /callback?code=***&state=x'],
  ['got eyJhbGciOiJub25l.e30.x and ya29.a0-b', 'got *** and ***'],
  ['the token is invalid; code: 17', 'the token is invalid; code: 17'],
])('masks %s', (message, masked) => {
  expect(new ProviderError('invalid', message).message).toBe(masked);
});

it('repeats no access token that a provider puts into its message', async () => {
  let world: World | undefined;
  let echoes = false;
  const seen = new Set<string>();
  const log: string[] = [];
  const write = (message: string, fields?: unknown) => void log.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const network = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const header = request.headers.get('authorization') ?? '';
    if (header !== '') seen.add(header.slice('Bearer '.length));
    if (!echoes || world === undefined) return world?.sandbox.fetch(request) ?? Response.error();
    return Response.json({ error: { code: 'odd', message: `refused: ${header}` } }, { status: 400 });
  };
  world = await createWorld({
    logger,
    providers: {
      PROVIDER_A: google({ ...googleEndpoints('http://sandbox.test/google'), fetch: network }),
      PROVIDER_B: microsoft({ ...microsoftEndpoints('http://sandbox.test/microsoft'), fetch: network }),
    },
  });
  for (const { provider } of PROVIDERS) {
    const connected = await world.connect(provider);
    echoes = true;
    const body = { title: 't', start: { dateTime: '2026-03-01T09:00:00Z' } };
    const answers = [
      await world.call('POST', eventsPath(connected), { body }),
      await world.call('PUT', calendarsPath(connected.accountId, connected.calendarId), { body: { name: 'n' } }),
    ];
    echoes = false;
    const told = JSON.stringify(answers.map((answer) => answer.body)) + log.join('\n');
    for (const token of seen) expect(told).not.toContain(token);
  }
  expect(seen.size).toBeGreaterThan(0);
  await world.close();
});

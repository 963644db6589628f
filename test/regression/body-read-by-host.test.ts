import { createHandler } from '@kalends/http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Connected, eventsPath } from '../interface/steps.ts';
import { createWorld, type World } from '../interface/world.ts';

/* Middleware of a host may read the body of a request before the handler gets it, and leaves the handler none. */
let world: World;
let account: Connected;
beforeAll(async () => {
  world = await createWorld();
  account = await world.connect('microsoft');
});
afterAll(() => world.close());

it.each<[string, string, () => string, string]>([
  ['JSON', 'application/json', () => eventsPath(account), '{"title":"Tea"}'],
  [
    'a file',
    'text/calendar',
    () => `/v1/calendars/${account.accountId}/${encodeURIComponent(account.calendarId)}/imports`,
    'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n',
  ],
  ['a notification', 'application/json', () => '/v1/push/provider_b', '{"value":[]}'],
])('%s that the host has read is a fault that the log names', async (_kind, type, path, body) => {
  const errors: unknown[] = [];
  const note = () => undefined;
  const error = (_message: string, fields?: Readonly<Record<string, unknown>>) => errors.push(fields?.['error']);
  const handler = createHandler(world.engine, { logger: { debug: note, info: note, warn: note, error } });
  const headers = { 'x-api-key': world.apiKey, 'content-type': type };
  const create = () => new Request(`https://kalends.test${path()}`, { method: 'POST', headers, body });
  const request = create();
  await request.text();
  expect((await handler(request)).status).toBe(500);
  expect(errors).toEqual([expect.stringContaining('the host has read the body: call the handler before that')]);
  // A new request with the body is as good as one that was never read.
  expect((await handler(new Request(request, { body }))).status).toBe((await handler(create())).status);
});

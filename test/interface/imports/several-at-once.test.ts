import { caldav } from '@kalends/caldav';
import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { body, type Connected } from '../steps.ts';
import { createImportWorld, type ImportWorld, importedInto, importsPath } from './import-world.ts';

/** Aborted when Google's servers may answer imports. */
const answers = new AbortController();
let world: ImportWorld;
beforeAll(async () => {
  const quick = async (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    world.sandbox.fetch(new Request(input, init));
  const slow: typeof quick = async (input, init) => {
    const request = new Request(input, init);
    const isImport = new URL(request.url).pathname.endsWith('/events/import');
    if (isImport && !answers.signal.aborted) {
      await new Promise((resolve) => answers.signal.addEventListener('abort', resolve));
    }
    return await quick(request);
  };
  const limits = { callsPerInterval: Number.POSITIVE_INFINITY };
  world = await createImportWorld({
    providers: {
      PROVIDER_A: google({ ...googleEndpoints('http://sandbox.test/google'), fetch: slow, limits }),
      PROVIDER_B: microsoft({ ...microsoftEndpoints('http://sandbox.test/microsoft'), fetch: quick, limits }),
      PROVIDER_C: caldav({ fetch: quick, limits }),
    },
  });
});
afterAll(() => world.close());

const HEADERS = { 'content-type': 'text/calendar' };
const FILE = [
  'BEGIN:VCALENDAR',
  'BEGIN:VEVENT',
  'UID:one@example.com',
  'DTSTART:20260302T090000Z',
  'SUMMARY:One',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

it('an import is not kept waiting by slow uploads and by another that its provider does not answer', async () => {
  const uploads: (() => void)[] = [];
  const upload = (place: Connected) => {
    const file = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('BEGIN:VCALENDAR\r\n'));
        uploads.push(() => controller.close());
      },
    });
    const headers = { ...HEADERS, 'x-api-key': world.apiKey };
    const init = { method: 'POST', headers, body: file, duplex: 'half' } as const;
    return world.handler(new Request(`http://kalends.test${importsPath(place)}`, init));
  };
  const slow = [];
  for (let count = 0; count < 4; count += 1) slow.push(upload(await world.connectTo('google')));

  const hanging = await world.connectTo('google');
  const begun = body(await world.call('POST', importsPath(hanging), { body: FILE, headers: HEADERS }), 202);
  const quick = await importedInto(world, await world.connectTo('caldav'), FILE);
  expect([quick.state, quick.counts.created]).toEqual(['finished', 1]);

  const stateOf = async () => body(await world.call('GET', `${importsPath(hanging)}/${begun.id}`)).state;
  expect(await stateOf()).toBe('running');
  answers.abort();
  await expect.poll(stateOf).toBe('finished');
  for (const end of uploads) end();
  for (const answer of slow) expect((await answer).status).toBe(400);
});

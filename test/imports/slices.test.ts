import { seededRandom } from '@kalends/conformance';
import { google } from '@kalends/google';
import { createTokenSealer, createWakeUp, parseSecrets } from 'kalends/runtime';
import { expect, it } from 'vitest';
import { accountRow, applicationRow, credentialRow } from '../../adapters/conformance/src/storage/world.ts';
import { createImports } from '../../src/imports/create-imports.ts';
import { createHeldLeases } from '../../src/leases/held-leases.ts';
import { openInMemory } from '../storages/opened-storage.ts';

const silent = () => undefined;
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };
const CALENDAR = {
  ...{ id: 'cal_1', timeZone: 'UTC', isPrimary: true, isShared: false, inviteEmail: '' },
  ...{ allowedOnlineMeetingProviders: [], defaultOnlineMeetingProvider: 'unknown' },
};

async function* fileOf(events: number) {
  const texts = Array.from(
    { length: events },
    (_, index) =>
      `BEGIN:VEVENT\r\nUID:${index}\r\nSUMMARY:${index}\r\nDTSTART:20260302T090000Z\r\nDTEND:20260302T100000Z\r\nEND:VEVENT\r\n`,
  );
  yield Buffer.from(`BEGIN:VCALENDAR\r\n${texts.join('')}END:VCALENDAR\r\n`);
}

it('a short import is soon over behind as many long ones as there are places', async () => {
  const { clock, storage } = await openInMemory();
  const random = seededRandom(1);
  await storage.applications.create(applicationRow());
  await storage.accounts.save(accountRow(), credentialRow());
  const { id: accountId, applicationId } = accountRow();
  const imports = createImports({
    storage,
    events: {
      capabilities: async () => ({
        limits: google().capabilities(CALENDAR),
        calendar: CALENDAR,
        email: 'a@example.com',
      }),
      async *groups() {},
      findCreated: async () => ({ kind: 'none' }),
      async create() {
        await clock.sleep(1_000);
        return { id: 'evt', etag: '"1"' };
      },
    },
    leases: createHeldLeases(storage.leases, { clock, logger: SILENT }),
    audit: () => undefined,
    ...{ clock, random, wakeUp: createWakeUp(clock), logger: SILENT },
    pageSealer: createTokenSealer(parseSecrets(Buffer.alloc(32, 7).toString('base64')), random, 'page:imports'),
  } as unknown as Parameters<typeof createImports>[0]);
  const begin = async (calendarId: string, events: number) => {
    const { id } = await imports.service.create({ applicationId }, accountId, calendarId, fileOf(events));
    return async () => await imports.service.get({ applicationId }, accountId, calendarId, id);
  };
  const long = [];
  for (const calendarId of ['cal_1', 'cal_2', 'cal_3', 'cal_4']) long.push(await begin(calendarId, 300));
  await clock.advance(1);
  const short = await begin('cal_5', 2);
  const stopping = new AbortController();
  const run = imports.run(stopping.signal);
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      await clock.advance(1_000);
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await pass(60);
  expect(await short()).toMatchObject({ state: 'finished', counts: { created: 2 } });
  expect(await long[0]?.()).toMatchObject({ state: 'running' });
  await pass(400);
  for (const view of long) expect(await view()).toMatchObject({ state: 'finished', counts: { created: 300 } });
  stopping.abort(new Error('stopping'));
  await run;
  await storage.close();
});

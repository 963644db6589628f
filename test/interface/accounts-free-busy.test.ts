import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCalDav, createSchedulingWorld } from './scheduling-world.ts';
import { body, type Connected, calendarsPath, eventsPath, expectProblem, secondApplication } from './steps.ts';
import type { Json, World } from './world.ts';

const WINDOW = { startDateTime: '2026-03-02T08:00:00Z', endDateTime: '2026-03-06T00:00:00Z', timeZone: 'Asia/Tokyo' };

let world: World;
let accounts: readonly Connected[];
beforeAll(async () => {
  world = await createSchedulingWorld();
  accounts = [await world.connect('google'), await world.connect('microsoft'), await connectCalDav(world)];
  for (const [index, account] of accounts.entries()) {
    const at = (day: number, time: string) => ({
      dateTime: `2026-03-0${day}T${time}:00`,
      timeZone: 'America/New_York',
    });
    const daily = { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] };
    for (const fields of [
      { start: at(2, `0${index}:30`), end: at(2, `0${index + 3}:30`) },
      { start: at(3, '09:00'), end: at(3, '10:00'), ...daily },
      { start: at(4, '15:00'), end: at(4, '16:00'), transparency: 'transparent' },
      { start: { dateTime: '2026-03-05' }, end: { dateTime: '2026-03-06' }, isAllDay: true, transparency: 'opaque' },
    ])
      body(await world.call('POST', eventsPath(account), { body: { title: 'Busy', ...fields } }), 201);
  }
}, 60_000);
afterAll(() => world.close());

const ask = (asked: readonly unknown[], fields: object = {}) =>
  world.call('POST', '/v1/freeBusy', { body: { ...WINDOW, accounts: asked, ...fields } });
const askedOf = ({ accountId, calendarId }: Connected) => ({ endUserAccountId: accountId, calendarIds: [calendarId] });
const askOne = async ({ accountId, calendarId }: Connected, fields: object = {}): Promise<Json> =>
  body(
    await world.call('POST', `/v1/freeBusy/${accountId}`, {
      body: { ...WINDOW, calendarIds: [calendarId], ...fields },
    }),
  );

describe('POST /v1/freeBusy', () => {
  it.each([
    {},
    { includeTypes: true },
  ])('is for each account of three providers what it alone answers (%o)', async (fields) => {
    const answer = body(await ask(accounts.map(askedOf), fields));
    expect(answer).toEqual(
      await Promise.all(
        accounts.map(async (account) => ({
          endUserAccountId: account.accountId,
          calendars: await askOne(account, fields),
        })),
      ),
    );
    expect(answer[0].calendars[0].busySlots.length).toBeGreaterThan(3);
  });

  it('takes the own calendars of an account that names none', async () => {
    const [google] = accounts;
    const { id } = body(
      await world.call('POST', calendarsPath(google?.accountId ?? ''), { body: { name: 'Second' } }),
      201,
    );
    const [{ calendars }] = body(await ask([{ endUserAccountId: google?.accountId }]));
    const ids = calendars.map(({ calendarId }: Json) => calendarId).toSorted();
    expect(ids).toEqual([google?.calendarId, id].toSorted());
  });

  it('has the error of an account that cannot be read in its place, and the others', async () => {
    const gone = await world.connect('google');
    const [google, , caldav] = accounts;
    await world.engine.operations.expire(world.applicationId, gone.accountId);
    const unknown = { endUserAccountId: caldav?.accountId, calendarIds: [caldav?.calendarId, 'none'] };
    const answer = body(await ask([askedOf(gone), unknown, ...(google === undefined ? [] : [askedOf(google)])]));
    expect(answer.map(({ error, calendars }: Json) => error?.code ?? calendars.length)).toEqual([
      'InvalidRefreshToken',
      'NotFound',
      1,
    ]);
  });

  it('is 404 for an account of another application, as for one that never existed', async () => {
    const { key } = await secondApplication(world);
    for (const endUserAccountId of [accounts[0]?.accountId, 'acc_none']) {
      const sent = { ...WINDOW, accounts: [{ endUserAccountId }] };
      const answer = await world.call('POST', '/v1/freeBusy', { body: sent, key });
      expectProblem(answer, 404, 'NotFound', 'accounts.0.endUserAccountId');
    }
  });

  it.each([
    ['accounts', { accounts: [] }],
    ['accounts', { accounts: undefined }],
    ['accounts.0.calendarIds', { accounts: [{ endUserAccountId: 'acc_1', calendarIds: [] }] }],
    ['accounts.0.calendars', { accounts: [{ endUserAccountId: 'acc_1', calendars: [] }] }],
    ['endDateTime', { endDateTime: '2026-03-02T08:00:00Z' }],
    ['timeZone', { timeZone: '+01:00' }],
  ])('names %s', async (path, fields) => {
    expectProblem(await ask([{ endUserAccountId: 'acc_1' }], fields), 400, 'InvalidRequest', path);
  });
});

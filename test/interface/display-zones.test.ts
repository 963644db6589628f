import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body, type Connected, eventsPath, query } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

const NEW_YORK = 'America/New_York';
const TOKYO = 'Asia/Tokyo';
const WINDOW = { startDateTime: '2026-01-01T00:00:00Z', endDateTime: '2026-06-01T00:00:00Z' };
const at = (dateTime: string, timeZone: string) => ({ dateTime, timeZone });

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

// A record read with `timeZone` shows its times in that zone. Sent back, it says nothing of the zone that the event is to have.
describe.each(PROVIDERS)('a record of $providerType read in another zone and sent back', ({ provider }) => {
  let account: Connected;
  beforeAll(async () => {
    account = await world.connect(provider);
  });
  const create = async () =>
    body(
      await world.call('POST', eventsPath(account), {
        body: {
          title: 'Weekly',
          start: at('2026-02-02T21:00:00', NEW_YORK),
          recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
        },
      }),
      201,
    );
  const displayed = async (id: string) =>
    body(await world.call('GET', eventsPath(account, id) + query({ timeZone: TOKYO })));
  const put = async (id: string, record: Json, scope?: string) =>
    body(
      await world.call('PUT', eventsPath(account, id) + query(scope === undefined ? {} : { scope }), { body: record }),
    );
  const startsOf = async (id: string) => {
    const { data } = body(await world.call('GET', `${eventsPath(account, id)}/occurrences${query(WINDOW)}`));
    return data.map(({ start }: Json) => `${start.dateTime} ${start.timeZone}`);
  };
  const everyEvening = [2, 3, 4, 5, 6].map((day) => `2026-02-0${day}T21:00:00-05:00 ${NEW_YORK}`);

  it('keeps the zone of a series, and each of its occurrences', async () => {
    const { id } = await create();
    const record = await displayed(id);
    expect(record.start).toEqual(at('2026-02-03T11:00:00+09:00', TOKYO));
    expect(await put(id, { ...record, title: 'Renamed' })).toMatchObject({
      title: 'Renamed',
      start: at('2026-02-02T21:00:00-05:00', NEW_YORK),
    });
    expect(await startsOf(id)).toEqual(everyEvening);
  });

  it('keeps them when an occurrence is sent for all, and for itself', async () => {
    const { id } = await create();
    for (const scope of ['this', 'all']) {
      const occurrence = await displayed(`${id}_20260205T020000Z`);
      expect(occurrence.start).toEqual(at('2026-02-05T11:00:00+09:00', TOKYO));
      await put(occurrence.id, { ...occurrence, title: `Renamed ${scope}` }, scope);
      expect(await startsOf(id)).toEqual(everyEvening);
    }
  });

  it('moves by the instants that are sent, in the zone of the event', async () => {
    const { id } = await create();
    const longer = { ...(await displayed(id)), end: at('2026-02-03T12:30:00+09:00', TOKYO) };
    expect(await put(id, longer)).toMatchObject({
      start: at('2026-02-02T21:00:00-05:00', NEW_YORK),
      end: at('2026-02-02T22:30:00-05:00', NEW_YORK),
    });
    // An occurrence shows by its original start in which zone it was read.
    const occurrence = await displayed(`${id}_20260205T020000Z`);
    const moved = {
      ...occurrence,
      start: at('2026-02-05T10:00:00+09:00', TOKYO),
      end: at('2026-02-05T10:15:00+09:00', TOKYO),
    };
    expect(await put(occurrence.id, moved)).toMatchObject({
      start: at('2026-02-04T20:00:00-05:00', NEW_YORK),
      end: at('2026-02-04T20:15:00-05:00', NEW_YORK),
    });
  });

  it('gets another zone where the times say so', async () => {
    const { id } = await create();
    const times = { start: at('2026-02-03T11:00:00+09:00', TOKYO), end: at('2026-02-03T12:00:00+09:00', TOKYO) };
    expect(await put(id, { ...times, recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] })).toMatchObject(times);
    const { id: other } = await create();
    const local = { start: at('2026-02-03T11:00:00', TOKYO), end: at('2026-02-03T12:00:00', TOKYO) };
    expect(await put(other, { ...(await displayed(other)), ...local })).toMatchObject(times);
  });
});

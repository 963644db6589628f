import { afterEach, describe, expect, it } from 'vitest';
import { body, eventsPath, query } from '../interface/steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from '../interface/world.ts';

const DAILY = ['RRULE:FREQ=DAILY;COUNT=4'];
const point = (dateTime: string) => ({ dateTime, timeZone: 'Europe/London' });
const TIMED = { isAllDay: false, start: point('2026-03-24T07:30:00'), end: point('2026-03-24T08:30:00') };
const DAYS = { isAllDay: true, start: { dateTime: '2026-03-24' }, end: { dateTime: '2026-03-25' } };

let world: World;
afterEach(() => world.close());

/** Google keeps the old slots of such a series as cancelled: none of them says anything about the slots that it has now. */
describe.each(PROVIDERS)('a series of $provider that changes its kind', ({ provider }) => {
  async function begin(times: object) {
    world = await createWorld();
    const at = await world.connect(provider);
    const sent = { title: 's', description: 'd', ...times, recurrence: DAILY };
    const { id } = body(await world.call('POST', eventsPath(at), { body: sent }), 201);
    const slot = (key: string) => eventsPath(at, key === '' ? id : `${id}_${key}`);
    return {
      at,
      id,
      put: async (key: string, change: object, scope?: string) =>
        body(await world.call('PUT', slot(key) + query(scope === undefined ? {} : { scope }), { body: change })),
      remove: async (key: string, scope = 'this') => body(await world.call('DELETE', slot(key) + query({ scope }))),
      get: async (key: string) => body(await world.call('GET', slot(key))),
      /** Start, title and location of what takes place. */
      shown: async () => {
        const window = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-05-01T00:00:00Z' };
        const list = await world.call('GET', eventsPath(at) + query({ expandRecurrences: true, ...window }));
        return body(list)
          .data.map(({ start, title, location }: Json) => `${start.dateTime.slice(8, 16)} ${title} ${location}`.trim())
          .sort();
      },
    };
  }

  it('keeps what comes before a deletion of the following days', async () => {
    const { put, remove, shown } = await begin(TIMED);
    await put('20260324T073000Z', { location: 'X' });
    await put('', DAYS);
    await remove('20260325', 'following');
    expect(await shown()).toEqual(['24T00:00 s X']);
  });

  it('keeps what comes before a deletion of the following times', async () => {
    const { put, remove, shown } = await begin(DAYS);
    await put('20260324', { location: 'X' });
    await put('', TIMED);
    await remove('20260325T073000Z', 'following');
    expect(await shown()).toEqual(['24T07:30 s X']);
  });

  it('keeps what comes before a change of the following days, brought back before', async () => {
    const { put, remove, shown } = await begin(TIMED);
    await remove('20260324T073000Z');
    await put('', DAYS);
    await put('20260324', { isCancelled: false });
    await put('20260325', { title: 'T' }, 'following');
    expect(await shown()).toEqual(['24T00:00 s', '25T00:00 T', '26T00:00 T', '27T00:00 T']);
  });

  it('brings a cancelled occurrence back as the series has it', async () => {
    const { put, remove, get } = await begin(TIMED);
    await put('20260325T073000Z', { location: 'X' });
    await put('', DAYS);
    await put('20260325', { title: 'mine', description: 'mine' });
    await remove('20260325');
    await put('20260325', { isCancelled: false });
    expect(await get('20260325')).toMatchObject({ isCancelled: false, title: 's', description: 'd', location: '' });
  });

  it('brings a cancelled occurrence back at the times of the series', async () => {
    const { put, remove, get } = await begin(DAYS);
    await put('20260325', { location: 'X' });
    await put('', TIMED);
    const own = { start: point('2026-03-25T15:00:00'), end: point('2026-03-25T16:00:00') };
    await put('20260325T073000Z', { title: 'mine', ...own });
    await remove('20260325T073000Z');
    await put('20260325T073000Z', { isCancelled: false });
    const back = await get('20260325T073000Z');
    expect(back).toMatchObject({ isCancelled: false, title: 's', location: '' });
    expect(back.start.dateTime).toContain('2026-03-25T07:30:00');
  });
});

it('a series that was made all-day in Google keeps what comes before a change of the following days', async () => {
  world = await createWorld();
  const at = await world.connect('google');
  const { id } = body(
    await world.call('POST', eventsPath(at), { body: { title: 's', ...TIMED, recurrence: DAILY } }),
    201,
  );
  await world.call('DELETE', eventsPath(at, `${id}_20260324T073000Z`));
  const day = (date: string) => ({ date, dateTime: null, timeZone: null });
  const there = { start: day('2026-03-24'), end: day('2026-03-25') };
  await world.atProvider('google', at.email, 'PATCH', `/calendars/primary/events/${id}`, there);
  const path = eventsPath(at, `${id}_20260325`) + query({ scope: 'following' });
  body(await world.call('PUT', path, { body: { title: 'T' } }));
  expect(body(await world.call('GET', eventsPath(at, `${id}_20260324`)))).toMatchObject({ title: 's' });
});

import { afterEach, describe, expect, it } from 'vitest';
import { body, eventsPath, query, readAll } from '../interface/steps.ts';
import { createWorld, PROVIDERS, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

/** Where everything before is cancelled, the occurrence is the first; a rule that is sent begins with it all the same. */
describe.each(PROVIDERS)('following at the second occurrence of $provider, the first cancelled', ({ provider }) => {
  async function begin() {
    world = await createWorld();
    const at = await world.connect(provider);
    const point = (time: string) => ({ dateTime: `2026-02-23T${time}`, timeZone: 'America/New_York' });
    const sent = {
      title: 's',
      start: point('08:00:00'),
      end: point('08:30:00'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    };
    const { id } = body(await world.call('POST', eventsPath(at), { body: sent }), 201);
    const slot = (day: number) => eventsPath(at, `${id}_202602${day}T130000Z`);
    body(await world.call('DELETE', slot(23)));
    return { at, slot };
  }

  async function starts(at: Parameters<typeof eventsPath>[0]) {
    const path =
      eventsPath(at) +
      query({
        expandRecurrences: true,
        timeZone: 'America/New_York',
        startDateTime: '2026-02-01T00:00:00Z',
        endDateTime: '2026-06-01T00:00:00Z',
      });
    return (await readAll(world, path)).data
      .map(({ start, title }) => `${start.dateTime.slice(0, 16)} ${title}`)
      .sort();
  }

  it('takes a rule that begins there', async () => {
    const { at, slot } = await begin();
    body(await world.call('PUT', slot(24), { body: { title: 'mine' } }));
    const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=TU,SA;COUNT=3'];
    const answer = await world.call('PUT', slot(24) + query({ scope: 'following' }), { body: { recurrence } });
    expect(body(answer).start.dateTime).toContain('2026-02-24T08:00:00');
    expect(await starts(at)).toEqual(['2026-02-24T08:00 mine', '2026-02-28T08:00 s', '2026-03-03T08:00 s']);
  });

  it('takes no rule from a start that the clocks skip', async () => {
    world = await createWorld();
    const at = await world.connect(provider);
    const start = { dateTime: '2026-03-07T02:30:00', timeZone: 'America/New_York' };
    const sent = { title: 's', start, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] };
    const { id } = body(await world.call('POST', eventsPath(at), { body: sent }), 201);
    body(await world.call('DELETE', eventsPath(at, `${id}_20260307T073000Z`)));
    const answer = await world.call('PUT', eventsPath(at, `${id}_20260308T073000Z`) + query({ scope: 'following' }), {
      body: { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] },
    });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'scope' }] } });
  });

  it('takes a rule and other times', async () => {
    const { at, slot } = await begin();
    const point = (time: string) => ({ dateTime: `2026-02-24T${time}`, timeZone: 'America/New_York' });
    const change = {
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU,SA;COUNT=3'],
      start: point('10:00:00'),
      end: point('11:00:00'),
    };
    body(await world.call('PUT', slot(24) + query({ scope: 'following' }), { body: change }));
    expect(await starts(at)).toEqual(['2026-02-24T10:00 s', '2026-02-28T10:00 s', '2026-03-03T10:00 s']);
  });

  it('leaves the occurrence the times that it has of its own', async () => {
    const { at, slot } = await begin();
    const point = (time: string) => ({ dateTime: `2026-02-24T${time}`, timeZone: 'America/New_York' });
    const times = { start: point('09:00:00'), end: point('09:10:00') };
    body(await world.call('PUT', slot(24), { body: times }));
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=2'];
    body(await world.call('PUT', slot(24) + query({ scope: 'following' }), { body: { recurrence } }));
    expect(await starts(at)).toEqual(['2026-02-24T09:00 s', '2026-02-25T08:00 s']);
  });

  it('leaves that occurrence alone when there is to be no rule', async () => {
    const { at, slot } = await begin();
    const change = { recurrence: [] };
    body(await world.call('PUT', slot(24) + query({ scope: 'following' }), { body: change }));
    expect(await starts(at)).toEqual(['2026-02-24T08:00 s']);
  });
});

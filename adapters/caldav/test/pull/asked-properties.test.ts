import { expect, it } from 'vitest';
import { pathOfId } from '../../src/protocol/paths.ts';
import { type PulledCalendar, startCalendar } from './pulled-calendar.ts';

/** Properties that each multiget so far has asked for. */
function askedProperties({ asked }: PulledCalendar): readonly (readonly string[])[] {
  return asked
    .filter(({ report }) => report === 'calendar-multiget')
    .map(({ body }) =>
      [...(/<D:prop>(.*)<\/D:prop>/.exec(body)?.[1] ?? '').matchAll(/<([^<>]+)\/>/g)].map(([, name = '']) => name),
    );
}

it('asks for tag and text alone in pulls, where a further property costs a server a query for each object', async () => {
  const played = await startCalendar();
  await played.put('a.ics', 'first');
  expect(await played.pull()).toEqual(['full']);
  await played.put('b.ics', 'second');
  expect(await played.pull()).toEqual(['increment']);
  expect(played.shown()).toEqual({ 'a.ics': 'first', 'b.ics': 'second' });
  expect(askedProperties(played)).toEqual([
    ['D:getetag', 'C:calendar-data'],
    ['D:getetag', 'C:calendar-data'],
  ]);
});

it('asks for the schedule tag before a write', async () => {
  const played = await startCalendar();
  await played.put('a.ics', 'first');
  const { harness, session, calendar } = played;
  const { events } = harness.provider;
  const providerEventId = Buffer.from(`${pathOfId(calendar.id)}a.ics`).toString('base64url');

  const [read] = await events.get(session, calendar, providerEventId);
  if (read?.kind !== 'series') throw new Error('the event was not read');
  const target = { kind: 'event', providerEventId, current: read.master } as const;
  await events.update(session, calendar, target, { title: 'second' }, {});
  expect(askedProperties(played).at(-1)).toEqual(['D:getetag', 'C:calendar-data', 'C:schedule-tag']);
  expect(played.stored()).toEqual({ 'a.ics': 'second' });
});

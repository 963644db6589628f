import type { ProviderEvent } from 'kalends/ports';
import { expect, it } from 'vitest';
import {
  type Asked,
  edited,
  type PulledCalendar,
  startCalendar,
} from '../../adapters/caldav/test/pull/pulled-calendar.ts';

/** Lines behind which the server stops. */
const CUTS = ['\r\nEND:VCALENDAR', '\r\nEND:VEVENT', '\r\nX-TAIL:', 'NDAR\r\n'];

const cutAt = (text: string, cut: string): string => text.slice(0, text.lastIndexOf(cut));

/** Cuts the calendar data of a multistatus: the answer around it is whole. */
const cutData = (cut: string) => (text: string) =>
  text.replaceAll(/(<C:calendar-data[^>]*>)(.*?)(<\/C:calendar-data>)/gs, (_all, open, data: string, close) => {
    const plain = data.replaceAll('&#13;', '\r');
    return `${open}${cutAt(plain, cut).replaceAll('\r', '&#13;')}${close}`;
  });

const readsObject = ({ method, report }: Asked): boolean => method === 'GET' || report === 'calendar-multiget';

async function changedWithCut(cut: string, isCut: (asked: Asked) => boolean): Promise<PulledCalendar> {
  const pulled = await startCalendar();
  const tail = ['X-TAIL:a property of another program'];
  for (const name of ['a', 'b']) await pulled.put(`${name}.ics`, name, tail);
  await pulled.pull();
  await pulled.put('a.ics', 'a, changed', tail);
  pulled.answerBy(async (asked, ask) => {
    if (!isCut(asked)) return ask();
    const answer = await ask();
    return edited(answer, asked.method === 'GET' ? (text) => cutAt(text, cut) : cutData(cut));
  });
  return pulled;
}

it.each(CUTS)('takes no text that is cut at %j for an event', async (cut) => {
  const pulled = await changedWithCut(cut, readsObject);
  await pulled.pull();
  expect(pulled.unreadable).toEqual(['a.ics']);
  expect(pulled.shown()).toEqual({ 'a.ics': 'a', 'b.ics': 'b' });
  pulled.answerBy(undefined);
  pulled.token = null;
  await pulled.pull();
  expect(pulled.shown()).toEqual(pulled.stored());
});

it('asks once more for a text that is cut', async () => {
  const pulled = await changedWithCut('\r\nEND:VEVENT', ({ report }) => report === 'calendar-multiget');
  await pulled.pull();
  expect(pulled.shown()).toEqual(pulled.stored());
});

it.each(CUTS)('writes no text back that is cut at %j', async (cut) => {
  const pulled = await changedWithCut(cut, readsObject);
  const { harness, session, calendar } = pulled;
  const path = `${Buffer.from(calendar.id, 'base64url').toString()}a.ics`;
  const providerEventId = Buffer.from(path).toString('base64url');
  const before = harness.control('objects', { email: 'ada@dav.example' });
  const current = { providerEventId, seriesId: null, recurrenceId: null } as ProviderEvent;
  const target = { kind: 'event', providerEventId, current } as const;
  pulled.asked.length = 0;
  await expect(harness.provider.events.update(session, calendar, target, { title: 'mine' }, {})).rejects.toMatchObject({
    reason: 'unreadable',
  });
  expect(pulled.asked.filter(({ method }) => method === 'PUT')).toEqual([]);
  expect(harness.control('objects', { email: 'ada@dav.example' })).toEqual(before);
});

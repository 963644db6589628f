import { describe, expect, test } from 'vitest';
import { useOutlook } from './outlook-world.ts';

/* A series that a person wrote in Outlook: HTML and importance, which no field of the interface tells. */

const AGENDA = '<p>Agenda: <a href="https://wiki.example/x">notes</a> <b>bold</b></p>';
const SPECIAL = '<p>Special <a href="https://wiki.example/special">page</a></p>';

const outlook = useOutlook();
const { graph, instances, weekly } = outlook;
const html = (content: string) => ({ body: { contentType: 'html', content } });

/** Mondays from April 6th; the 13th and the 27th have another description, and the latter is unimportant. */
async function outlookSeries(more: object = {}): Promise<string> {
  const id = await weekly({
    ...html(AGENDA),
    importance: 'high',
    ...more,
  });
  const slots = await instances(id);
  for (const at of [1, 3]) {
    const block = blockOf(slots[at].body.content);
    await graph('PATCH', `/${slots[at].id}`, {
      ...html(`${SPECIAL}${block}`),
      ...(at === 3 ? { importance: 'low' } : {}),
    });
  }
  return id;
}

/** The block of an online meeting. */
const blockOf = (body: string): string =>
  body.slice(body.indexOf(AGENDA) + AGENDA.length).replace('</body></html>', '');

async function shown(id: string): Promise<readonly unknown[]> {
  return (await instances(id)).map(({ start, body, importance }) => [
    start.dateTime.slice(5, 16),
    [AGENDA, SPECIAL].find((text) => body.content.includes(text)) ?? body.content,
    importance,
  ]);
}

const on = (day: string, time: string) => ({ dateTime: `2026-04-${day}T${time}:00Z`, timeZone: 'UTC' });
const at = (time: string) => on('06', time);

describe.each([
  ['an event', {}],
  ['an online meeting', { isOnlineMeeting: true, onlineMeetingProvider: 'teamsForBusiness' }],
])('the description of %s', (_name, more) => {
  test('keeps its markup when all its times move', async () => {
    const id = await outlookSeries(more);
    await outlook.put(id, { start: at('11:00'), end: at('12:00') }, 'all');
    expect(await shown(id)).toEqual([
      ['04-06T11:00', AGENDA, 'high'],
      ['04-13T11:00', SPECIAL, 'high'],
      ['04-20T11:00', AGENDA, 'high'],
      ['04-27T11:00', SPECIAL, 'low'],
      ['05-04T11:00', AGENDA, 'high'],
    ]);
  });

  test('keeps its markup in the new half of a split', async () => {
    const id = await outlookSeries(more);
    const { id: newId } = await outlook.put(`${id}_20260420T090000Z`, { title: 'Weekly 2' }, 'following');
    expect(await shown(id)).toEqual([
      ['04-06T09:00', AGENDA, 'high'],
      ['04-13T09:00', SPECIAL, 'high'],
    ]);
    expect(await shown(newId)).toEqual([
      ['04-20T09:00', AGENDA, 'high'],
      ['04-27T09:00', SPECIAL, 'low'],
      ['05-04T09:00', AGENDA, 'high'],
    ]);
    await outlook.expectSynced();
  });

  test.each([
    ['other times', { start: on('20', '11:00'), end: on('20', '12:00') }, 'T11:00', ['20', '27', '04']],
    ['times before midnight', { start: on('19', '22:00'), end: on('19', '23:00') }, 'T22:00', ['19', '26', '03']],
  ])('keeps its markup in a new half with %s', async (_what, times, time, [first, second, third]) => {
    const id = await outlookSeries(more);
    const { id: newId } = await outlook.put(`${id}_20260420T090000Z`, times, 'following');
    expect(await shown(newId)).toEqual([
      [`04-${first}${time}`, AGENDA, 'high'],
      [`04-${second}${time}`, SPECIAL, 'low'],
      [`05-${third}${time}`, AGENDA, 'high'],
    ]);
    await outlook.expectSynced();
  });

  test('is another one in the new half where the split gives it', async () => {
    const id = await outlookSeries(more);
    const { id: newId } = await outlook.put(`${id}_20260420T090000Z`, { description: 'Another' }, 'following');
    expect((await outlook.get(newId)).description).toBe('Another');
    expect((await outlook.get(`${newId}_20260427T090000Z`)).description).toContain('Special page');
  });
});

test('an occurrence with a description of its own has the meeting that a new half gets', async () => {
  const id = await outlookSeries();
  const own = 'See the <a href="https://wiki.example/own">page</a>';
  await graph('PATCH', `/${(await instances(id))[3].id}`, html(own));
  const meeting = { generateMeetingUrlProvider: 'teamsForBusiness' };
  const { id: newId } = await outlook.put(`${id}_20260420T090000Z`, meeting, 'following');
  const now = await instances(newId);
  expect(now.map(({ body }) => [AGENDA, own].find((text) => body.content.includes(text)))).toEqual([
    AGENDA,
    own,
    AGENDA,
  ]);
  expect(now.map(({ body, onlineMeeting }) => body.content.includes(onlineMeeting?.joinUrl))).toEqual([
    true,
    true,
    true,
  ]);
});

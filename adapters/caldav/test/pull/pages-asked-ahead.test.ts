import type { EventPage } from 'kalends/ports';
import { expect, it } from 'vitest';
import { type Asked, type PulledCalendar, refusal, startCalendarWith } from './pulled-calendar.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/** A calendar of seven objects that are read one by one, three at once: pages of three, three and one. */
async function sevenObjects(): Promise<PulledCalendar> {
  const limits = { callsPerInterval: Number.POSITIVE_INFINITY, concurrency: 8, objectsPerCall: 1 };
  const played = await startCalendarWith({ limits });
  for (const name of NAMES) await played.put(`${name}.ics`, name);
  return played;
}

const isMultiget = ({ report }: Asked): boolean => report === 'calendar-multiget';

function pagesOf({ harness, session, calendar }: PulledCalendar): AsyncIterator<EventPage> {
  return harness.provider.events.pull(session, calendar, null)[Symbol.asyncIterator]();
}

function titlesIn({ changes }: EventPage): readonly (string | undefined)[] {
  return changes.map((change) => (change.kind === 'event' ? change.event.content?.title : change.kind));
}

async function next(pages: AsyncIterator<EventPage>): Promise<EventPage> {
  const { value, done } = await pages.next();
  if (done === true) throw new Error('the pull has no further page');
  return value;
}

it('asks for the next objects while the engine applies a page, and says so', async () => {
  const played = await sevenObjects();
  let asked = 0;
  let heard: () => void = () => undefined;
  const isAhead = new Promise<void>((resolve) => {
    heard = resolve;
  });
  played.answerBy((request, ask) => {
    if (isMultiget(request)) asked += 1;
    if (asked === 6) heard();
    return ask();
  });
  const pages = pagesOf(played);
  const first = await next(pages);
  // The second page is not asked for yet.
  await isAhead;
  const [second, third] = [await next(pages), await next(pages)];
  expect([first, second, third].map(titlesIn)).toEqual([['a', 'b', 'c'], ['d', 'e', 'f'], ['g']]);
  expect([first, second, third].map(({ isAskedAhead }) => isAskedAhead)).toEqual([undefined, true, true]);
  expect((await next(pages)).nextToken).toBeDefined();
});

it('ends what it has asked for before an abandoned pull ends', async () => {
  const played = await sevenObjects();
  let open = 0;
  played.answerBy(async (_request, ask) => {
    open += 1;
    return await ask().finally(() => {
      open -= 1;
    });
  });
  const pages = pagesOf(played);
  await next(pages);
  await pages.return?.();
  expect(open).toBe(0);
  expect(played.asked.filter(isMultiget)).toHaveLength(6);
});

it('fails with a page that cannot be read, not before it is asked for', async () => {
  const played = await sevenObjects();
  let asked = 0;
  played.answerBy((request, ask) => {
    if (isMultiget(request)) asked += 1;
    return asked > 3 ? refusal(403) : ask();
  });
  const pages = pagesOf(played);
  expect(titlesIn(await next(pages))).toEqual(['a', 'b', 'c']);
  await expect(pages.next()).rejects.toMatchObject({ reason: 'forbidden' });
});

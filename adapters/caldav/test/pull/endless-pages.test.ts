import { describe, expect, it } from 'vitest';
import { createListingBounds } from '../../src/events/listing-bounds.ts';
import { type Asked, asksSince, type PulledCalendar, startCalendar } from './pulled-calendar.ts';

/** More requests than any pull of the three objects needs. */
const FAR_TOO_MANY = 50;

/** Has the server cut each answer to a sync token short, for ever, under a new token each time. */
function cutForEver(pulled: PulledCalendar, isOf: (asked: Asked) => boolean, named: (page: number) => string): void {
  const path = new URL(pulled.asked.find(({ report }) => report === 'sync-collection')?.url ?? '').pathname;
  let page = 0;
  pulled.answerBy((asked, ask) => {
    if (asked.report !== 'sync-collection' || !isOf(asked)) return ask();
    page += 1;
    if (page > FAR_TOO_MANY) throw new Error('the pull goes on for ever');
    const cut = `<D:response><D:href>${path}</D:href><D:status>HTTP/1.1 507 Insufficient Storage</D:status></D:response>`;
    const rest = `${named(page)}${cut}<D:sync-token>endless-${page}</D:sync-token>`;
    return new Response(`<D:multistatus xmlns:D="DAV:">${rest}</D:multistatus>`, { status: 207 });
  });
}

async function pulledOnce(): Promise<PulledCalendar> {
  const pulled = await startCalendar();
  for (const name of ['a', 'b', 'c']) await pulled.put(`${name}.ics`, name);
  await pulled.pull();
  return pulled;
}

const row = (pulled: PulledCalendar, inner: string) => {
  const path = new URL(pulled.asked.find(({ report }) => report === 'sync-collection')?.url ?? '').pathname;
  return `<D:response><D:href>${path}a.ics</D:href>${inner}</D:response>`;
};
const tagged = (page: number) =>
  `<D:propstat><D:prop><D:getetag>"${page}"</D:getetag></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>`;
const GONE = '<D:status>HTTP/1.1 404 Not Found</D:status>';

describe('a server that cuts each page short for ever', () => {
  it.each([
    ['nothing', () => ''],
    ['the same object', (page: number) => tagged(page)],
  ])('and names %s is listed by PROPFIND', async (_name, inner) => {
    const pulled = await pulledOnce();
    pulled.token = null;
    cutForEver(
      pulled,
      () => true,
      (page) => (inner(page) === '' ? '' : row(pulled, inner(page))),
    );
    await pulled.put('d.ics', 'd');
    expect(await pulled.pull()).toEqual(['full']);
    expect(pulled.shown()).toEqual(pulled.stored());
  });

  it.each([
    ['nothing', () => ''],
    ['the same change', (page: number) => tagged(page)],
    ['the same deletion', () => GONE],
  ])('and names %s since a token is listed anew', async (_name, inner) => {
    const pulled = await pulledOnce();
    cutForEver(pulled, asksSince, (page) => (inner(page) === '' ? '' : row(pulled, inner(page))));
    await pulled.put('d.ics', 'd');
    expect(await pulled.pull()).toEqual(['increment', 'full']);
    expect(pulled.shown()).toEqual(pulled.stored());
  });
});

describe('the bounds of a listing', () => {
  const pageOf = (from: number, count: number, name = '') => ({
    changed: Array.from({ length: count }, (_, at) => ({
      path: `/calendars/ada/personal/${name}${from + at}`,
      tag: '"1"',
    })),
    removed: [],
  });

  /** Returns the number of pages of new objects before the end; at most `most`. */
  function pagesBefore(most: number, count: number, name?: string): number {
    const bounds = createListingBounds();
    for (let page = 0; page < most; page += 1) {
      if (!bounds.mayGoOn(pageOf(page * count, count, name), (page + 1) * count)) return page + 1;
    }
    return Number.POSITIVE_INFINITY;
  }

  it.each([200, 1_000, 200_000])('leave room for 200,000 objects in pages of %d', (count) => {
    expect(pagesBefore(200_000 / count, count, 'n'.repeat(300))).toBe(Number.POSITIVE_INFINITY);
  });

  it('end one of new objects without end, by pages and by what they hold', () => {
    expect(pagesBefore(20_000, 1)).toBe(10_000);
    expect(pagesBefore(200, 10_000)).toBeLessThan(50);
    expect(pagesBefore(200, 1_000, 'n'.repeat(9_000))).toBeLessThan(20);
  });

  it('let some pages name nothing new', () => {
    const bounds = createListingBounds();
    const idle = Array.from({ length: 5 }, () => bounds.mayGoOn({ changed: [], removed: [] }, 0));
    expect([...idle, bounds.mayGoOn(pageOf(0, 1), 1)]).toEqual(Array.from({ length: 6 }, () => true));
  });
});

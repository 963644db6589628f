import type { EventContent, ProviderEvent } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import type { ExpandedFilters } from '../../src/events/read/event-filters.ts';
import { type EventGroup, eventGroup } from '../../src/events/read/event-group.ts';
import { expandedRecords, unexpandedRecords } from '../../src/events/read/group-records.ts';
import { eventWrite } from '../../src/mirror/stored-event.ts';
import { fakeEvent } from '../mirror/fake-events.ts';

const at = (text: string) => Date.parse(text);
const within = (from: string, to: string) => ({ from: at(from), to: at(to) });
const unexpanded = <Window extends object>(window: Window) => ({ ...window, expand: false }) as const;

describe('a window shorter than the events of a series', () => {
  it.each([
    ['DAILY', '1800-01-01T00:00:00Z', '9000-01-01T00:00:00Z', '1800-01-01T00:00:00Z', '8999-01-01T00:00:00Z'],
    ['MINUTELY', '2020-01-01T00:00:00Z', '2027-01-01T00:00:00Z', '2021-01-01T00:00:00Z', '2025-12-31T00:00:00Z'],
  ])('asks for no slot of a %s series', (freq, start, end, from, to) => {
    const { group, worked } = counted(series(start, end, [`RRULE:FREQ=${freq}`]));
    expect([...unexpandedRecords(group, unexpanded(within(from, to)))]).toEqual([]);
    expect([...expandedRecords(group, { ...within(from, to), expand: true })]).toEqual([]);
    expect(worked()).toBe(0);
  });

  it('still holds its exceptions, and dates with a length of their own', () => {
    const lines = ['RRULE:FREQ=DAILY', 'RDATE;VALUE=PERIOD:20260303T110000Z/PT1H'];
    const { group, worked } = counted(series('2026-03-01T09:00:00Z', '2027-03-01T09:00:00Z', lines));
    const day = within('2026-03-03T00:00:00Z', '2026-03-04T00:00:00Z');
    expect([...unexpandedRecords(group, unexpanded(day))].map(({ id }) => id)).toEqual(['s']);
    expect([...expandedRecords(group, { ...day, expand: true })].map(({ id }) => id)).toEqual(['s_20260303T110000Z']);
    expect(worked()).toBeLessThan(10);
    const other = within('2026-03-04T00:00:00Z', '2026-03-05T00:00:00Z');
    expect([...unexpandedRecords(group, unexpanded(other))]).toEqual([]);
  });
});

it('asks for one page of slots to find one occurrence in a window', () => {
  const { group, worked } = counted(series('2020-01-01T09:00:00Z', '2031-01-01T09:00:00Z', ['RRULE:FREQ=DAILY']));
  const decades = within('2020-01-01T00:00:00Z', '2050-01-01T00:00:00Z');
  expect([...unexpandedRecords(group, unexpanded(decades))]).toHaveLength(1);
  expect(worked()).toBeLessThan(50);
});

it('meets an occurrence that lasts longer than the others by its RDATE and began before the window', () => {
  const lines = ['RRULE:FREQ=DAILY;COUNT=1', 'RDATE;VALUE=PERIOD:20260301T120000Z/P10D'];
  const { group } = counted(series('2026-02-01T09:00:00Z', '2026-02-01T10:00:00Z', lines));
  const busy: ExpandedFilters = {
    expand: true,
    isOverlap: true,
    from: at('2026-03-05T00:00:00Z'),
    to: at('2026-03-06T00:00:00Z'),
  };
  expect([...expandedRecords(group, busy)].map(({ id }) => id)).toEqual(['s_20260301T120000Z']);
  const { rangeEnd } = eventWrite({ ...group.master!.event, providerTag: null }, 1);
  expect(rangeEnd).toBeGreaterThanOrEqual(at('2026-03-11T12:00:00Z'));
});

describe('a series of seconds', () => {
  const year: ExpandedFilters = { ...within('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'), expand: true };
  const seconds = () => counted(series('2020-01-01T09:00:00Z', '2020-01-01T09:00:01Z', ['RRULE:FREQ=SECONDLY']));

  it('works out what is taken and not the 50,000 of its cap', () => {
    const { group, worked } = seconds();
    const records = expandedRecords(group, year);
    for (let i = 0; i < 10; i++) expect(records.next().done).toBe(false);
    expect(worked()).toBeLessThan(50);
  });

  it('begins a later page and a slice of an ordered one without counting from the start', () => {
    const { group, worked } = seconds();
    const order = at('2026-01-01T10:00:00Z');
    const later = expandedRecords(group, year, { order, id: '~' });
    expect(later.next().value?.order).toBe(order + 1_000);
    const slice = expandedRecords(group, { ...year, starts: { from: order, until: order + 86_400_000 } });
    expect(slice.next().value?.order).toBe(order);
    expect(worked()).toBeLessThan(50);
  });

  it('is cut at 50,000 from the start of the window, however far on a page begins', () => {
    const lines = ['RRULE:FREQ=MINUTELY;BYSECOND=0,30'];
    const { group } = counted(series('2020-01-01T00:00:00Z', '2020-01-01T00:00:01Z', lines));
    const last = at('2026-01-01T00:00:00Z') + 49_999 * 30_000;
    expect([...expandedRecords(group, year)]).toHaveLength(50_000);
    const rest = [...expandedRecords(group, year, { order: last - 30_000, id: '~' })];
    expect(rest.map(({ order }) => order)).toEqual([last]);
    expect([...expandedRecords(group, { ...year, starts: { from: last + 1, until: last + 86_400_000 } })]).toEqual([]);
  });
});

function series(start: string, end: string, recurrence: readonly string[]): ProviderEvent {
  const point = (dateTime: string): EventContent['start'] => ({ dateTime, timeZone: 'UTC' });
  return fakeEvent('s', { start: point(start), end: point(end), recurrence: [...recurrence] });
}

/** The group of a series, and how many slots its reader has worked out. */
function counted(event: ProviderEvent): { readonly group: EventGroup; readonly worked: () => number } {
  const group = eventGroup('s', [{ ...eventWrite(event, 1), privateContent: null, fromRevision: 1 }], 'UTC');
  const master = group.master!;
  const { series: real } = master.compiled;
  let slots = 0;
  const count = <Slot>(slot: Slot): Slot => {
    slots += 1;
    return slot;
  };
  const counting: typeof real = {
    ...real,
    occurrences: (window) => real.occurrences(window).map(count),
    *iterate(window) {
      for (const slot of real.iterate(window)) yield count(slot);
    },
    slotAt: (ms) => count(real.slotAt(ms)),
  };
  return {
    group: { ...group, master: { ...master, compiled: { ...master.compiled, series: counting } } },
    worked: () => slots,
  };
}

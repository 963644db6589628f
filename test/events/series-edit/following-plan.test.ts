import type { EventContent, ProviderEvent, RecurrenceId } from 'kalends/ports';
import { describe, expect, test } from 'vitest';
import { KalendsError } from '../../../src/errors.ts';
import { type FollowingPlan, planFollowing } from '../../../src/events/series-edit/following-plan.ts';
import { type SeriesSnapshot, snapshotOf } from '../../../src/events/series-edit/series-snapshot.ts';
import { allDay, cancelledSlot, fakeEvent, fakeException, newYork } from '../../mirror/fake-events.ts';

const OPTIONS = { calendarZone: 'America/New_York', withAnswers: true };

function series(content: Partial<EventContent>, exceptions: readonly ProviderEvent[] = []): SeriesSnapshot {
  const master = fakeEvent('s', { ...newYork('2026-03-02', '09:00', '10:00'), ...content });
  return snapshotOf([{ kind: 'series', master, exceptions }], 's')!;
}
const at = (text: string): RecurrenceId => ({ kind: 'instant', startMs: Date.parse(text) });
const on = (date: string): RecurrenceId => ({ kind: 'date', date });
/** Nine o'clock in New York, on a day of summer time. */
const nine = (date: string) => at(`${date}T13:00:00Z`);

function plan(
  ...args: Parameters<typeof planFollowing> extends [infer A, infer B, infer C, ...unknown[]] ? [A, B, C] : never
) {
  const planned = planFollowing(...args, OPTIONS);
  if (planned === 'all') throw new Error('the whole series is meant');
  return planned as FollowingPlan;
}

describe('the halves of a series', () => {
  test('share a COUNT', () => {
    const { insert, trim } = plan(series({ recurrence: ['RRULE:FREQ=WEEKLY;COUNT=10'] }), nine('2026-03-23'), {});
    expect(trim).toEqual({ recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'] });
    expect(insert).toMatchObject({
      title: 's',
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=7'],
      ...newYork('2026-03-23', '09:00', '10:00', '-04:00'),
      privateExtendedProperties: { 'kalends.follows': 's' },
    });
  });

  test('share an UNTIL, the earlier one to the second before the split', () => {
    const lines = ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20260331T035959Z'];
    const { insert, trim } = plan(series({ recurrence: lines }), nine('2026-03-11'), {});
    expect(trim.recurrence).toEqual(['RRULE:FREQ=WEEKLY;UNTIL=20260311T125959Z;BYDAY=MO,WE']);
    expect(insert?.recurrence).toEqual(['RRULE:FREQ=WEEKLY;UNTIL=20260331T035959Z;BYDAY=MO,WE']);
  });

  test('share the dates of RDATE and EXDATE', () => {
    const lines = [
      'RRULE:FREQ=WEEKLY;COUNT=6',
      'RDATE:20260304T140000Z,20260401T130000Z',
      'EXDATE:20260309T130000Z,20260330T130000Z',
    ];
    const { insert, trim } = plan(series({ recurrence: lines }), nine('2026-03-16'), {});
    expect(trim.recurrence).toEqual(['RRULE:FREQ=WEEKLY;COUNT=2', 'RDATE:20260304T140000Z', 'EXDATE:20260309T130000Z']);
    expect(insert?.recurrence).toEqual([
      'RRULE:FREQ=WEEKLY;COUNT=4',
      'RDATE:20260401T130000Z',
      'EXDATE:20260330T130000Z',
    ]);
  });

  test('of dates alone stay series', () => {
    const lines = ['RDATE:20260304T140000Z'];
    const { insert, trim } = plan(series({ recurrence: lines }), at('2026-03-04T14:00:00Z'), {});
    expect(trim.recurrence).toEqual(['RRULE:FREQ=DAILY;COUNT=1']);
    expect(insert).toMatchObject({
      recurrence: ['RRULE:FREQ=DAILY;COUNT=1'],
      ...newYork('2026-03-04', '09:00', '10:00'),
    });
  });

  test('of dates alone keep the lengths that their dates have of their own', () => {
    const lines = [
      'RDATE;VALUE=PERIOD:20260304T140000Z/PT3H,20260305T140000Z/20260305T180000Z',
      'RDATE:20260306T140000Z',
    ];
    const { insert, trim } = plan(series({ recurrence: lines }), at('2026-03-04T14:00:00Z'), {});
    expect(trim.recurrence).toEqual(['RRULE:FREQ=DAILY;COUNT=1']);
    expect(insert).toMatchObject({
      recurrence: ['RDATE;VALUE=PERIOD:20260305T140000Z/PT14400S,20260306T140000Z/PT3600S'],
      ...newYork('2026-03-04', '09:00', '12:00'),
    });
    const last = plan(series({ recurrence: lines }), at('2026-03-05T14:00:00Z'), { title: 'Longer' });
    expect(last.insert).toMatchObject({
      recurrence: ['RDATE;VALUE=PERIOD:20260306T140000Z/PT3600S'],
      ...newYork('2026-03-05', '09:00', '13:00'),
    });
    const longer = plan(
      series({ recurrence: lines }),
      at('2026-03-05T14:00:00Z'),
      newYork('2026-03-05', '09:00', '15:00'),
    );
    expect(longer.insert).toMatchObject({
      recurrence: ['RDATE:20260306T140000Z'],
      ...newYork('2026-03-05', '09:00', '15:00'),
    });
    const moved = plan(
      series({ recurrence: lines }),
      at('2026-03-05T14:00:00Z'),
      newYork('2026-03-05', '10:00', '14:00'),
    );
    expect(moved.insert).toMatchObject({
      recurrence: ['RDATE;VALUE=PERIOD:20260306T150000Z/PT3600S'],
      ...newYork('2026-03-05', '10:00', '14:00'),
    });
    const short = series({ recurrence: lines, ...newYork('2026-03-02', '09:00', '09:00') });
    expect(() => plan(short, at('2026-03-05T14:00:00Z'), { title: 'Longer' })).toThrow(/last no time/);
    const ruled = series({ recurrence: [...lines, 'RRULE:FREQ=WEEKLY'] });
    expect(plan(ruled, at('2026-03-04T14:00:00Z'), {}).insert).toMatchObject(
      newYork('2026-03-09', '09:00', '10:00', '-04:00'),
    );
  });

  test('of dates alone have no date that was taken out', () => {
    const single = series({ recurrence: ['RDATE:20260306T140000Z', 'EXDATE:20260304T140000Z'] });
    expect(plan(single, at('2026-03-06T14:00:00Z'), {}).trim).toEqual({ recurrence: ['RRULE:FREQ=DAILY;COUNT=1'] });
    const lines = ['RDATE:20260304T140000Z,20260306T140000Z', 'EXDATE:20260302T140000Z'];
    const { insert, trim } = plan(series({ recurrence: lines }), at('2026-03-06T14:00:00Z'), {});
    expect(trim).toEqual({ recurrence: ['RDATE:20260304T140000Z', 'EXDATE:20260302T140000Z'] });
    expect(insert).toMatchObject(newYork('2026-03-06', '09:00', '10:00'));
  });

  test('of days keep their dates', () => {
    const days = series({ ...allDay('2026-03-02', '2026-03-04'), recurrence: ['RRULE:FREQ=DAILY;INTERVAL=3;COUNT=4'] });
    const { insert, trim } = plan(days, on('2026-03-08'), {});
    expect(trim.recurrence).toEqual(['RRULE:FREQ=DAILY;COUNT=2;INTERVAL=3']);
    expect(insert).toMatchObject({
      ...allDay('2026-03-08', '2026-03-10'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=2;INTERVAL=3'],
    });
  });

  test('take their exceptions along', () => {
    const exceptions = [
      fakeException('x1', 's', nine('2026-03-09'), { ...newYork('2026-03-09', '11:00', '12:00', '-04:00') }),
      cancelledSlot('s', nine('2026-03-16'), 'x2'),
      fakeException('x3', 's', nine('2026-03-23'), {
        title: 'special',
        ...newYork('2026-03-23', '09:00', '10:00', '-04:00'),
      }),
      cancelledSlot('s', nine('2026-03-30'), 'x4'),
    ];
    const split = plan(series({ recurrence: ['RRULE:FREQ=WEEKLY;COUNT=10'] }, exceptions), nine('2026-03-23'), {
      location: 'elsewhere',
    });
    expect(split.keep).toEqual([
      {
        slot: nine('2026-03-09'),
        isCancelled: false,
        patch: { title: 'x1', ...newYork('2026-03-09', '11:00', '12:00', '-04:00'), isAllDay: false },
      },
      { slot: nine('2026-03-16'), isCancelled: true, patch: {} },
    ]);
    expect(split.carry).toEqual([
      {
        slot: nine('2026-03-23'),
        isCancelled: false,
        providerEventId: 'x3',
        patch: { title: 'special', location: 'elsewhere' },
      },
      { slot: nine('2026-03-30'), isCancelled: true, patch: {} },
    ]);
  });

  test('let what is said of the occurrence that is named replace what it said itself', () => {
    const own = { title: 'special', location: 'own', ...newYork('2026-03-23', '15:00', '16:00', '-04:00') };
    const exceptions = [fakeException('x', 's', nine('2026-03-23'), own)];
    const recurrence = ['RRULE:FREQ=WEEKLY;COUNT=10'];
    const { carry, insert } = plan(series({ recurrence }, exceptions), nine('2026-03-23'), {
      title: 'all of them',
      ...newYork('2026-03-23', '17:00', '19:00', '-04:00'),
    });
    expect(insert).toMatchObject({ title: 'all of them', ...newYork('2026-03-23', '17:00', '19:00', '-04:00') });
    const said = { title: 'all of them', ...newYork('2026-03-23', '17:00', '19:00', '-04:00') };
    expect(carry).toEqual([
      {
        slot: at('2026-03-23T21:00:00Z'),
        isCancelled: false,
        providerEventId: 'x',
        patch: { location: 'own', ...said },
      },
    ]);
  });
});

describe('the new half', () => {
  const weekly = (lines = 'FREQ=WEEKLY;BYDAY=MO,TH') => series({ recurrence: [`RRULE:${lines}`] });

  test('moves with its weekdays and its UNTIL', () => {
    const { insert } = plan(weekly('FREQ=WEEKLY;BYDAY=MO,TH;UNTIL=20260402T130000Z'), nine('2026-03-12'), {
      ...newYork('2026-03-13', '10:00', '11:00', '-04:00'),
    });
    expect(insert?.recurrence).toEqual(['RRULE:FREQ=WEEKLY;UNTIL=20260403T140000Z;BYDAY=TU,FR']);
  });

  test('has the rule that it is given, and keeps exceptions on dates that the rule has', () => {
    const exceptions = [cancelledSlot('s', nine('2026-03-19'), 'x'), cancelledSlot('s', nine('2026-03-16'), 'y')];
    const master = series({ recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,TH'] }, exceptions);
    const { insert, carry } = plan(master, nine('2026-03-12'), { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TH'] });
    expect(insert?.recurrence).toEqual(['RRULE:FREQ=WEEKLY;BYDAY=TH']);
    expect(carry.map(({ slot }) => slot)).toEqual([nine('2026-03-19')]);
  });

  test('may be a single event', () => {
    const { insert, carry } = plan(weekly(), nine('2026-03-12'), { recurrence: null });
    expect(insert).toMatchObject({ recurrence: null, ...newYork('2026-03-12', '09:00', '10:00', '-04:00') });
    expect(carry).toEqual([]);
  });

  test('has everything that the old one says, guests with their answers, and its place in the chain', () => {
    const attendees = [
      {
        id: 'a',
        name: 'Ann',
        email: 'ann@example.com',
        responseStatus: 'accepted' as const,
        kind: 'required' as const,
      },
      { id: 'b', name: '', email: 'bob@example.com', responseStatus: 'declined' as const, kind: 'optional' as const },
    ];
    const master = series({
      recurrence: ['RRULE:FREQ=DAILY'],
      attendees,
      description: 'about',
      colorId: '3',
      generateMeetingUrlProvider: 'hangoutsMeet',
      conferenceData: { conferenceId: 'old' },
      publicExtendedProperties: { a: '1', b: '2' },
      privateExtendedProperties: { 'kalends.follows': 'first', 'kalends.followedBy': 'third', c: '3' },
    });
    const { insert } = plan(master, nine('2026-03-12'), { publicExtendedProperties: { b: null } });
    expect(insert).toMatchObject({
      attendees: [
        { email: 'ann@example.com', name: 'Ann', responseStatus: 'accepted' },
        { email: 'bob@example.com', responseStatus: 'declined' },
      ],
      description: 'about',
      colorId: '3',
      generateMeetingUrlProvider: 'hangoutsMeet',
      publicExtendedProperties: { a: '1' },
      privateExtendedProperties: { 'kalends.follows': 's', 'kalends.followedBy': 'third', c: '3' },
    });
    expect(insert).not.toHaveProperty('conferenceData');
    expect(plan(master, nine('2026-03-12'), { conferenceData: null }).insert).not.toHaveProperty(
      'generateMeetingUrlProvider',
    );
  });
});

describe('a split is', () => {
  const daily = (exceptions: readonly ProviderEvent[] = []) =>
    series({ recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] }, exceptions);

  test('the whole series at its first occurrence, and where all before is cancelled', () => {
    expect(planFollowing(daily(), at('2026-03-02T14:00:00Z'), {}, OPTIONS)).toBe('all');
    const cancelled = [cancelledSlot('s', at('2026-03-02T14:00:00Z'), 'x')];
    expect(planFollowing(daily(cancelled), at('2026-03-03T14:00:00Z'), null, OPTIONS)).toBe('all');
    expect(planFollowing(daily(cancelled), at('2026-03-04T14:00:00Z'), null, OPTIONS)).not.toBe('all');
  });

  test('a trim alone when the occurrences are deleted', () => {
    expect(plan(daily(), at('2026-03-04T14:00:00Z'), null)).toEqual({
      insert: null,
      trim: { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] },
      keep: [],
      carry: [],
    });
  });

  test.each([
    ['at no slot', ['RRULE:FREQ=DAILY'], '2026-03-04T15:00:00Z', {}, 'scope'],
    [
      'at the second pass of an hour that the clocks repeat',
      ['RRULE:FREQ=DAILY;UNTIL=20261031T235959Z', 'RDATE:20261101T063000Z,20261102T060000Z'],
      '2026-11-01T06:30:00Z',
      {},
      'scope',
    ],
    ['of a series with EXRULE', ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY'], '2026-03-04T14:00:00Z', {}, 'scope'],
    [
      'to a start that the rule does not produce',
      ['RRULE:FREQ=MONTHLY;BYDAY=1MO'],
      '2026-04-06T13:00:00Z',
      newYork('2026-04-07', '09:00', '10:00', '-04:00'),
      'start',
    ],
  ] as const)('refused %s', (_, recurrence, slot, patch, path) => {
    const refusal = () => planFollowing(series({ recurrence: [...recurrence] }), at(slot), patch, OPTIONS);
    expect(refusal).toThrow(KalendsError);
    expect(refusal).toThrow(
      expect.objectContaining({ code: 'InvalidRequest', details: [expect.objectContaining({ path })] }),
    );
  });

  test('refused where the clocks skip the start', () => {
    const night = series({
      ...newYork('2026-03-06', '02:30', '03:00'),
      recurrence: ['RRULE:FREQ=DAILY'],
    });
    const refusal = () => planFollowing(night, at('2026-03-08T07:30:00Z'), {}, OPTIONS);
    expect(refusal).toThrow(/the clocks skip the start/);
    expect(plan(night, at('2026-03-09T06:30:00Z'), {}).insert).toMatchObject(
      newYork('2026-03-09', '02:30', '03:00', '-04:00'),
    );
  });
});

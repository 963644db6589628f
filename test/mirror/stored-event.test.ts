import type { ItemVersion, ProviderEvent } from 'kalends/ports';
import { describe, expect, test } from 'vitest';
import { eventWrite, storedEvent } from '../../src/mirror/stored-event.ts';
import { allDay, cancelledSlot, fakeEvent, fakeException, newYork } from './fake-events.ts';

const HOUR_MS = 3_600_000;
/** No zone is further than this from UTC. */
const SLACK_MS = 15 * HOUR_MS;
/** Nine in the morning, as if it were UTC. */
const WALL_START = Date.UTC(2026, 2, 2, 9);
const rangeOf = (...args: Parameters<typeof fakeEvent>) => {
  const { rangeStart, rangeEnd } = eventWrite(fakeEvent(...args), 1);
  return [rangeStart, rangeEnd];
};

describe('the range of a stored event', () => {
  test('is from its start to its end for a timed event', () => {
    expect(rangeOf('a', newYork('2026-03-02', '09:00', '10:00'))).toEqual([
      Date.UTC(2026, 2, 2, 14),
      Date.UTC(2026, 2, 2, 15),
    ]);
  });

  test('ends no earlier than it starts', () => {
    const start = Date.UTC(2026, 2, 2, 14);
    expect(rangeOf('a', newYork('2026-03-02', '09:00', '08:00'))).toEqual([start, start]);
    expect(rangeOf('a', allDay('2026-03-04', '2026-03-02'))).toEqual([
      Date.UTC(2026, 2, 4) - SLACK_MS,
      Date.UTC(2026, 2, 4) + SLACK_MS,
    ]);
  });

  test('holds its days in every zone for an all-day event', () => {
    expect(rangeOf('a', allDay('2026-03-02', '2026-03-04'))).toEqual([
      Date.UTC(2026, 2, 2) - SLACK_MS,
      Date.UTC(2026, 2, 4) + SLACK_MS,
    ]);
  });

  test('is a day about the slot for a cancelled slot', () => {
    const startMs = Date.UTC(2026, 2, 4, 14);
    const stub = eventWrite(cancelledSlot('s', { kind: 'instant', startMs }, 'x'), 1);
    expect([stub.rangeStart, stub.rangeEnd]).toEqual([startMs - 24 * HOUR_MS, startMs + 24 * HOUR_MS]);
  });

  test('is about the epoch for a cancelled event without a slot', () => {
    expect(rangeOf('a', {}, { content: null, isCancelled: true })).toEqual([-24 * HOUR_MS, 24 * HOUR_MS]);
  });

  test('is from the first start to the end of the last occurrence for a series', () => {
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
    expect(rangeOf('s', { ...newYork('2026-03-02', '09:00', '10:00'), recurrence })).toEqual([
      WALL_START - SLACK_MS,
      Date.UTC(2026, 2, 4, 15) + SLACK_MS,
    ]);
    expect(rangeOf('s', { ...newYork('2026-03-02', '09:00', '10:00'), recurrence: ['RRULE:FREQ=DAILY'] })).toEqual([
      WALL_START - SLACK_MS,
      null,
    ]);
  });

  test('holds a period that is longer than the series’ occurrences', () => {
    const recurrence = ['RDATE;VALUE=PERIOD:20260303T140000Z/PT5H'];
    expect(rangeOf('s', { ...newYork('2026-03-02', '09:00', '10:00'), recurrence })).toEqual([
      WALL_START - SLACK_MS,
      Date.UTC(2026, 2, 3, 19) + SLACK_MS,
    ]);
  });
});

test('an exception has the id of its slot and the group of its series', () => {
  const startMs = Date.UTC(2026, 2, 4, 14);
  expect(eventWrite(fakeException('x', 's', { kind: 'instant', startMs }), 1)).toMatchObject({
    itemId: 's_20260304T140000Z',
    groupId: 's',
  });
});

test('an exception without a slot has its own id', () => {
  const event = fakeEvent('x', {}, { seriesId: 's', recurrenceId: null });
  expect(eventWrite(event, 1)).toMatchObject({ itemId: 'x', groupId: 's' });
});

describe('the hash of an event', () => {
  const etagOf = (...args: Parameters<typeof fakeEvent>) => eventWrite(fakeEvent(...args), 1).etag;

  test('has 22 characters, and follows everything that is shown', () => {
    expect(etagOf('a')).toHaveLength(22);
    expect(etagOf('a', { title: 'b' })).not.toBe(etagOf('a'));
    expect(etagOf('a', {}, { isCancelled: true, content: null })).not.toBe(etagOf('a', {}, { content: null }));
  });

  test('does not follow the time of the change, nor what is kept for the adapter', () => {
    expect(etagOf('a', { updatedAt: '2026-02-02T00:00:00.000Z' })).toBe(etagOf('a'));
    expect(etagOf('a', {}, { isKeptLocally: true, providerData: { x: 1 } })).toBe(etagOf('a'));
  });

  test('content that an earlier mapping stored is shown with the defaults of newer fields', () => {
    const attendee = { id: 'a', name: '', email: 'a@x.example', responseStatus: 'accepted' as const };
    const { content } = eventWrite(fakeEvent('a', { transparency: 'transparent' }), 1);
    const {
      status: _,
      showAs: __,
      categories: ___,
      hasAttachments: ____,
      ...older
    } = (content as ProviderEvent).content!;
    const stored = { ...(content as ProviderEvent), content: { ...older, attendees: [attendee] } };
    const shown = storedEvent({ content: stored, privateContent: null } as unknown as ItemVersion);
    expect(shown.content).toMatchObject({
      status: 'confirmed',
      showAs: 'free',
      categories: [],
      guestsCanSeeOtherGuests: true,
      hasAttachments: false,
      attendees: [{ ...attendee, kind: 'required' }],
    });
  });

  test('content of the last mapping keeps all that it has', () => {
    const attendees = [
      { id: 'a', name: '', email: 'a@x.example', responseStatus: 'accepted' as const, kind: 'optional' as const },
    ];
    const known = { status: 'tentative' as const, showAs: 'workingElsewhere' as const, categories: ['Red'], attendees };
    const { content } = eventWrite(fakeEvent('a', { ...known, guestsCanSeeOtherGuests: false }), 1);
    const { hasAttachments: _, ...older } = (content as ProviderEvent).content!;
    const stored = { ...(content as ProviderEvent), content: older };
    const shown = storedEvent({ content: stored, privateContent: null } as unknown as ItemVersion);
    expect(shown.content).toEqual({ ...older, hasAttachments: false });
  });

  test('what is kept for the adapter is stored beside the content', () => {
    expect(eventWrite(fakeEvent('a'), 1).privateContent).toBeNull();
    for (const part of [{ isKeptLocally: true }, { providerData: { x: 1 } }])
      expect(eventWrite(fakeEvent('a', {}, part), 1).privateContent).toMatchObject(part);
  });
});

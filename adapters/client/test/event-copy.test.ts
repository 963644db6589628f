import type { CalendarEvent, EventMessage } from '@kalends/client';
import { eventCopy, foldMessage, mergeSync } from '@kalends/client/copy';
import { describe, expect, it } from 'vitest';

const event = (id: string, title: string) => ({ id, title }) as CalendarEvent;

function message(previousRevision: string, revision: string, id: string, title: string | null): EventMessage {
  const place = { endUserAccountId: 'acc_1', calendarId: 'cal_1', eventId: id, revision, previousRevision };
  const data = { ...place, event: title === null ? null : event(id, title), occurrences: [] };
  return { eventType: title === null ? 'event.deleted' : 'event.updated', timestamp: '2026-03-02T09:00:00Z', data };
}

/** A copy of a list as of revision 3. */
function copyOf(...records: CalendarEvent[]) {
  const copy = eventCopy();
  mergeSync(copy, { records, syncToken: 'token 3', isFull: true, revision: '3-a' });
  return copy;
}

const titles = ({ records }: ReturnType<typeof eventCopy>) => [...records.values()].map(({ title }) => title);

describe('a copy', () => {
  it('needs a sync first, and for a message without a record', () => {
    expect(foldMessage(eventCopy(), message('3-a', '4-b', 'x', 'X'))).toBe(false);
    const timestamp = '2026-03-02T09:00:00Z';
    expect(foldMessage(copyOf(), { eventType: 'calendar.event.unknown', timestamp })).toBe(false);
  });

  it('takes a message that follows on it, once, and no other', () => {
    const copy = copyOf(event('x', 'X'), event('y', 'Y'));
    expect(foldMessage(copy, message('3-a', '4-b', 'x', 'X4'))).toBe(true);
    expect(foldMessage(copy, message('3-a', '4-b', 'x', 'other'))).toBe(true);
    expect(foldMessage(copy, message('5-c', '6-d', 'x', 'X6'))).toBe(false);
    expect(foldMessage(copy, message('4-b', '5-c', 'y', null))).toBe(true);
    expect([titles(copy), copy.revision]).toEqual([['X4'], '5-c']);
  });

  it('has after a sync what the list has: what came and went since its token is gone again', () => {
    const copy = copyOf(event('x', 'X'));
    expect(foldMessage(copy, message('3-a', '4-b', 'new', 'New'))).toBe(true);
    expect(foldMessage(copy, message('4-b', '5-c', 'x', null))).toBe(true);
    mergeSync(copy, { records: [], syncToken: 'token 9', isFull: false, revision: '9-e' });
    expect([titles(copy), copy.revision, copy.syncToken]).toEqual([['X'], '9-e', 'token 9']);
  });

  it('that a sync has brought ahead passes over messages that follow on each other, until they reach it', () => {
    const copy = copyOf();
    expect(foldMessage(copy, message('1-a', '2.1-b', 'x', 'X'))).toBe(false);
    expect(foldMessage(copy, message('2.1-b', '2-b', 'x', 'X'))).toBe(true);
    expect(foldMessage(copy, message('2-b', '3.1-a', 'x', 'X'))).toBe(true);
    expect(foldMessage(copy, message('3.1-a', '3-a', 'x', 'X'))).toBe(true);
    expect(titles(copy)).toEqual([]);
    expect(foldMessage(copy, message('3-a', '4-b', 'x', 'X4'))).toBe(true);
    expect(titles(copy)).toEqual(['X4']);
    // A later part of a revision of which the copy has a part.
    mergeSync(copy, { records: [], syncToken: 't', isFull: false, revision: '4.1-b' });
    expect(foldMessage(copy, message('4.2-b', '4.3-b', 'x', 'X'))).toBe(false);
    expect(foldMessage(copy, message('4.3-b', '4-b', 'x', 'X'))).toBe(false);
  });
});

import type { DeliveryClaim, Logger, MessageRow, ReceiverRow } from 'kalends/ports';
import { StorageUnavailableError } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import type { ChangedRecords } from '../../src/events/index.ts';
import { createMessageView, loggedBody } from '../../src/webhooks/message-body.ts';

const TOLD = { calendarId: 'cal_1', groupId: 'e1', tag: 'aaaaaaaabbbb', previousTag: 'ccccccccdddd' };
const AT = '2026-03-02T09:00:00.000Z';
const UNKNOWN = { eventType: 'calendar.event.unknown', timestamp: AT };

function claimOf(change: MessageRow['change']): DeliveryClaim {
  const target = { applicationId: 'app_1', accountId: 'acc_1' } as ReceiverRow;
  const eventType = change === null ? 'calendar.event.changed' : 'event.updated';
  const message = { eventType, timestamp: Date.parse(AT), data: null, change } as MessageRow;
  return { target, message, host: '', epoch: 1 };
}

const failed: string[] = [];
const error = (message: string) => void failed.push(message);
const logger: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error };

/** Shows a message whose records are as given. */
const shown = (read: () => ChangedRecords | undefined, change: MessageRow['change']) =>
  createMessageView(async () => read(), logger)(claimOf(change));

const records = (title: string) => ({ event: { title }, occurrences: [] }) as unknown as ChangedRecords;
const whole = { ...TOLD, revision: 7, part: 1, parts: 1 };

describe('a message with a record', () => {
  it.each([
    [1, 1, '6-cccccccc', '7-aaaaaaaa'],
    [1, 3, '6-cccccccc', '7.1-aaaaaaaa'],
    [2, 3, '7.1-aaaaaaaa', '7.2-aaaaaaaa'],
    [3, 3, '7.2-aaaaaaaa', '7-aaaaaaaa'],
  ])('that is part %i of %i follows on %s and leads to %s', async (part, parts, previousRevision, revision) => {
    const change = { ...TOLD, revision: 7, part, parts };
    expect(await shown(() => records('One'), change)).toEqual({
      eventType: 'event.updated',
      timestamp: AT,
      data: {
        endUserAccountId: 'acc_1',
        calendarId: 'cal_1',
        eventId: 'e1',
        revision,
        previousRevision,
        event: { title: 'One' },
        occurrences: [],
      },
    });
  });

  it('is shown without it when the record is purged, larger than 256 KiB, or fails to be read', async () => {
    expect(await shown(() => undefined, whole)).toEqual(UNKNOWN);
    expect(await shown(() => records('ü'.repeat(2 ** 17)), whole)).toEqual(UNKNOWN);
    expect(await shown(() => records('x'.repeat(2 ** 17)), whole)).toMatchObject({ eventType: 'event.updated' });
    const broken = () => {
      throw new Error('broken');
    };
    expect(await shown(broken, whole)).toEqual(UNKNOWN);
    expect(failed).toEqual(['a record could not be read for its message']);
  });

  it('waits for a database that is away', async () => {
    const away = () => {
      throw new StorageUnavailableError('away', undefined);
    };
    await expect(shown(away, whole)).rejects.toThrow('away');
  });
});

it('the log of deliveries has the place of a record, and what was sent where the record was not known', () => {
  const sent = { timestamp: Date.parse(AT), data: null, change: whole };
  expect(JSON.parse(loggedBody('acc_1', { ...sent, eventType: 'event.updated' }))).toMatchObject({
    eventType: 'event.updated',
    data: { eventId: 'e1', revision: '7-aaaaaaaa' },
  });
  expect(JSON.parse(loggedBody('acc_1', { ...sent, eventType: 'calendar.event.unknown' }))).toEqual(UNKNOWN);
});

it('a message without a record has two fields', async () => {
  expect(JSON.stringify(await shown(() => records('One'), null))).toBe(
    `{"eventType":"calendar.event.changed","timestamp":"${AT}"}`,
  );
});

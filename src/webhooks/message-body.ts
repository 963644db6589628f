import type { ChangedRecords } from '../events/index.ts';
import { revisionText } from '../mirror/index.ts';
import type { EventMessage, WebhookMessage } from '../model/index.ts';
import {
  type CollectionKey,
  type DeliveryClaim,
  type Logger,
  type MessageRow,
  StorageUnavailableError,
  type ToldChange,
} from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';

type Content = Pick<MessageRow, 'eventType' | 'timestamp' | 'data'>;

/** Returns the message as receivers see it: exactly eventType and timestamp for calendars (spec §6.2), with `data` for accounts. */
export function messageOf({ eventType, timestamp, data }: Content): WebhookMessage {
  const message = { eventType, timestamp: new Date(timestamp).toISOString() };
  // The outbox has data in messages about accounts, and in no others.
  return (data === null ? message : { ...message, data: JSON.parse(data) }) as WebhookMessage;
}

/** Returns the message of an attempt as its receiver sees it. */
export type ShowMessage = (claim: DeliveryClaim) => Promise<WebhookMessage> | WebhookMessage;

/** Largest message with a record, in bytes of its JSON. */
const MAX_BYTES = 2 ** 18;

/**
 * Creates the function that reads the records of messages. One whose records are no longer known, or too large, is shown as
 * `calendar.event.unknown`.
 */
export function createMessageView(
  readChange: (key: CollectionKey, change: ToldChange) => Promise<ChangedRecords | undefined>,
  logger: Logger,
): ShowMessage {
  const read = async (key: CollectionKey, change: ToldChange) => {
    try {
      return await readChange(key, change);
    } catch (error) {
      if (StorageUnavailableError.isInstance(error)) throw error;
      // A record that cannot be shown must not hold up the messages behind it.
      logger.error('a record could not be read for its message', { error: describeError(error) });
      return undefined;
    }
  };

  return async ({ target: { applicationId, accountId }, message }) => {
    const { change, timestamp } = message;
    if (change === null || accountId === null) return messageOf(message);
    const records = await read({ applicationId, accountId, calendarId: change.calendarId }, change);
    if (records !== undefined) {
      const { eventType, timestamp: at } = messageOf(message);
      const shown = { eventType, timestamp: at, data: { ...placeOf(accountId, change), ...records } } as EventMessage;
      if (Buffer.byteLength(JSON.stringify(shown)) <= MAX_BYTES) return shown;
    }
    return messageOf({ eventType: 'calendar.event.unknown', timestamp, data: null });
  };
}

/** Returns what the log of deliveries shows of a message: of one with a record, where it belongs. */
export function loggedBody(accountId: string | null, content: Content & Pick<MessageRow, 'change'>): string {
  const { change } = content;
  // One whose record was not known any more was sent without its place.
  const hasPlace = change !== null && accountId !== null && content.eventType !== 'calendar.event.unknown';
  if (!hasPlace) return JSON.stringify(messageOf(content));
  return JSON.stringify({ ...messageOf(content), data: placeOf(accountId, change) });
}

function placeOf(endUserAccountId: string, change: ToldChange) {
  const { calendarId, groupId: eventId, revision, tag, previousTag, part, parts } = change;
  const before = { revision: revision - 1, tag: previousTag };
  return {
    endUserAccountId,
    calendarId,
    eventId,
    revision: revisionText({ revision, tag }, part === parts ? undefined : part),
    previousRevision: part === 1 ? revisionText(before) : revisionText({ revision, tag }, part - 1),
  };
}

/** Returns the body that is signed, and its type. */
export function bodyFor(
  { target, message }: DeliveryClaim,
  shown: WebhookMessage,
): { readonly body: string; readonly contentType: string } {
  if (target.format !== 'cloudevents') return { body: JSON.stringify(shown), contentType: 'application/json' };
  const { eventType: type, timestamp: time } = shown;
  const data = 'data' in shown ? shown.data : undefined;
  const source = ['/v1/calendarSubscriptions', target.accountId ?? '', target.id].join('/');
  const subject = data !== undefined && 'eventId' in data ? { subject: data.eventId } : {};
  const attributes = { specversion: '1.0', id: message.id, source, type, ...subject, time };
  const content = data === undefined ? {} : { datacontenttype: 'application/json', data };
  return {
    body: JSON.stringify({ ...attributes, ...content }),
    contentType: 'application/cloudevents+json; charset=utf-8',
  };
}

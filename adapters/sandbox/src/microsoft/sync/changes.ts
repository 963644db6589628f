import { itemId, objectIdOf, tenantIdOf } from '../identity.ts';
import type { MicrosoftWorld, StoredCalendar, StoredEvent, StoredSubscription } from '../state.ts';
import { formatGraphInstant } from '../times.ts';

type ChangeType = 'created' | 'updated' | 'deleted';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export const newChangeKey = (world: MicrosoftWorld): string => `${world.kernel.randomText(22, BASE64)}==`;

/** Drops subscriptions that have expired by the sandbox's clock. */
export function dropExpiredSubscriptions(world: MicrosoftWorld): void {
  const now = world.kernel.clock.now();
  for (const subscription of Object.values(world.state.subscriptions)) {
    if (subscription.expiresAt <= now) {
      delete world.state.subscriptions[subscription.id];
      world.kernel.touched();
    }
  }
}

/** Without a calendar a subscription watches every calendar that its mailbox owns. */
function watches(subscription: StoredSubscription, calendar: StoredCalendar): boolean {
  if (subscription.isCalendarList) return false;
  if (subscription.calendarKey !== null) return subscription.calendarKey === calendar.key;
  return calendar.ownerEmail === subscription.email;
}

/** Sends one notification collection to a URL of a subscription. */
export function postNotification(world: MicrosoftWorld, url: string, value: Readonly<Record<string, unknown>>): void {
  world.kernel.notify({
    provider: 'microsoft',
    url,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ value: [value] }),
  });
}

/** The properties that every notification of a subscription carries. */
export function notificationHead(subscription: StoredSubscription): Readonly<Record<string, unknown>> {
  return {
    subscriptionId: subscription.id,
    subscriptionExpirationDateTime: formatGraphInstant(subscription.expiresAt),
    clientState: subscription.clientState,
    tenantId: tenantIdOf(subscription.email),
  };
}

/** Tells the subscriptions that watch the calendar. Changes to single occurrences are told of their master. */
function notifyChange(
  world: MicrosoftWorld,
  calendar: StoredCalendar,
  event: StoredEvent,
  changeType: ChangeType,
): void {
  dropExpiredSubscriptions(world);
  for (const subscription of Object.values(world.state.subscriptions)) {
    if (!watches(subscription, calendar) || !subscription.changeType.split(',').includes(changeType)) continue;
    const id = itemId({ key: event.key, slot: null }, subscription.immutableIds);
    const path = `Users/${objectIdOf(calendar.ownerEmail)}/Events/${id}`;
    postNotification(world, subscription.notificationUrl, {
      ...notificationHead(subscription),
      changeType,
      resource: path,
      resourceData: {
        '@odata.type': '#Microsoft.Graph.Event',
        '@odata.id': path,
        '@odata.etag': `W/"${event.changeKey}"`,
        id,
      },
    });
  }
}

/**
 * Tells the subscriptions to the calendar lists that a calendar is in: a new one is reported as updated (Close's notes on
 * Outlook calendars).
 */
export function notifyCalendar(
  world: MicrosoftWorld,
  calendar: StoredCalendar,
  changeType: 'updated' | 'deleted',
): void {
  dropExpiredSubscriptions(world);
  for (const subscription of Object.values(world.state.subscriptions)) {
    const link = world.state.mailboxes[subscription.email]?.calendarLinks.find(
      ({ calendarKey }) => calendarKey === calendar.key,
    );
    if (!subscription.isCalendarList || !link || !subscription.changeType.split(',').includes(changeType)) continue;
    const path = `Users/${objectIdOf(subscription.email)}/Calendars/${link.id}`;
    postNotification(world, subscription.notificationUrl, {
      ...notificationHead(subscription),
      changeType,
      resource: path,
      resourceData: { '@odata.type': '#Microsoft.Graph.Calendar', '@odata.id': path, id: link.id },
    });
  }
}

function stamp(world: MicrosoftWorld, calendar: StoredCalendar, event: StoredEvent): number {
  calendar.seq += 1;
  event.changeKey = newChangeKey(world);
  event.modifiedAt = world.kernel.clock.now();
  event.touchedSeq = calendar.seq;
  world.kernel.touched();
  return calendar.seq;
}

/** Files a new event. */
export function recordCreated(world: MicrosoftWorld, calendar: StoredCalendar, event: StoredEvent): void {
  calendar.events[event.key] = event;
  event.seq = stamp(world, calendar, event);
  notifyChange(world, calendar, event, 'created');
}

/** Gives a changed single event or master its new change key and tells the subscriptions. */
export function recordUpdated(world: MicrosoftWorld, calendar: StoredCalendar, event: StoredEvent): void {
  event.seq = stamp(world, calendar, event);
  notifyChange(world, calendar, event, 'updated');
}

/** Records a change to one slot; the master's change key changes too, because it contains its exceptions. */
export function recordSlotChanged(
  world: MicrosoftWorld,
  calendar: StoredCalendar,
  master: StoredEvent,
  date: string,
  change: 'exception' | 'cancelled',
): void {
  const seq = stamp(world, calendar, master);
  const series = master.series;
  if (series === null) throw new TypeError('the event is not a series master');
  const exception = series.exceptions[date];
  if (change === 'cancelled') {
    delete series.exceptions[date];
    series.cancelled[date] = { seq };
  } else if (exception) {
    exception.seq = seq;
    exception.changeKey = newChangeKey(world);
    exception.modifiedAt = master.modifiedAt;
  }
  notifyChange(world, calendar, master, 'updated');
}

/** Removes an event, leaving a tombstone for delta queries. */
export function recordDeleted(world: MicrosoftWorld, calendar: StoredCalendar, event: StoredEvent): void {
  const seq = stamp(world, calendar, event);
  const now = world.kernel.clock.now();
  const { deltaTokenLifeMs } = world.state.settings;
  delete calendar.events[event.key];
  calendar.tombstones = calendar.tombstones.filter(({ deletedAt }) => deletedAt > now - 2 * deltaTokenLifeMs);
  calendar.tombstones.push({ event, seq, deletedAt: now });
  notifyChange(world, calendar, event, 'deleted');
}

/** Files an event again that was removed, under the id that it had. */
export function recordRestored(world: MicrosoftWorld, calendar: StoredCalendar, event: StoredEvent): void {
  calendar.tombstones = calendar.tombstones.filter((tombstone) => tombstone.event.key !== event.key);
  delete calendar.declined?.[event.key];
  recordCreated(world, calendar, event);
}

/** Exchange often touches an item again after a write: the key that the writer was told is stale then. */
export function maybeTouchAgain(world: MicrosoftWorld, calendar: StoredCalendar, event: StoredEvent): void {
  if (world.kernel.chance(world.state.settings.extraChangeKeys)) recordUpdated(world, calendar, event);
}

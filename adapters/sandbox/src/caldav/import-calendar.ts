import { createHash } from 'node:crypto';
import type { IcsCalendar, IcsEvent } from '../kernel/kernel.ts';
import { type CalDavContext, hasQuirk } from './caldav-context.ts';
import type { Mailbox, StoredCalendar } from './caldav-state.ts';
import { readObject } from './objects/calendar-object.ts';
import { storeObject } from './objects/object-store.ts';
import { printEvents } from './objects/print-event.ts';
import { prepareWrite } from './scheduling/scheduling.ts';

/**
 * Puts the events of an .ics calendar into a calendar of the server, all of one UID as one object. Organizer's copies of meetings are
 * delivered, as by a PUT.
 */
export function importEvents(
  context: CalDavContext,
  calendar: StoredCalendar,
  mailbox: Mailbox,
  source: IcsCalendar,
): void {
  const byUid = new Map<string, IcsEvent[]>();
  for (const event of source.events) byUid.set(event.uid, [...(byUid.get(event.uid) ?? []), event]);
  for (const [uid, events] of byUid) {
    const data = printEvents(events, { nowMs: context.kernel.clock.now(), owner: mailbox });
    const name = `${createHash('sha256').update(uid).digest('hex').slice(0, 24)}.ics`;
    const former = calendar.objects[name];
    const prepared = hasQuirk(context, 'noScheduling')
      ? undefined
      : prepareWrite(context, calendar, { former, next: readObject(data) });
    storeObject(context, calendar, { name, data: prepared?.data ?? data });
    prepared?.deliver();
  }
}

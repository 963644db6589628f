import {
  type CalendarRef,
  type EventChange,
  type EventTarget,
  ProviderError,
  type ProviderSession,
} from 'kalends/ports';
import type { GoogleSettings } from '../options.ts';
import { isGone } from '../transport/google-failure.ts';
import { isConferencePending } from './conference.ts';
import type { EventCalls } from './event-calls.ts';
import type { EventPull } from './event-pull.ts';
import { isSeries, readChange } from './event-reading.ts';
import type { WireEvent } from './event-wire.ts';

/** An object after a write, or as read where nothing had to be written. */
export interface Written {
  readonly wire: WireEvent;
  readonly isWritten: boolean;
}

/** Reads the results of writes. */
export interface WriteResults {
  /** Returns the changes that a write made: of a series or an occurrence, the whole series. */
  afterWrite(
    session: ProviderSession,
    calendar: CalendarRef,
    target: EventTarget,
    written: Written,
  ): Promise<readonly EventChange[]>;
  /** Returns the series of an occurrence, or its deletion. `written` is an instance that lists may not show yet. */
  seriesOf(
    session: ProviderSession,
    calendar: CalendarRef,
    target: Extract<EventTarget, { kind: 'occurrence' }>,
    written?: WireEvent,
  ): Promise<readonly EventChange[]>;
  /** Waits a moment for the link of a meeting; resolves with the event as it is then. */
  settleConference(session: ProviderSession, calendar: CalendarRef, written: WireEvent): Promise<WireEvent>;
}

export function createWriteResults(
  settings: Pick<GoogleSettings, 'clock' | 'logger' | 'limits'>,
  { calls, reading }: { readonly calls: EventCalls; readonly reading: EventPull },
): WriteResults {
  async function afterWrite(
    session: ProviderSession,
    calendar: CalendarRef,
    target: EventTarget,
    { wire: written, isWritten }: Written,
  ): Promise<readonly EventChange[]> {
    // An instance that was not written to may be no exception at all.
    if (target.kind === 'occurrence') return seriesOf(session, calendar, target, isWritten ? written : undefined);
    if (written.status === 'cancelled') return [readChange(written, { calendarZone: calendar.timeZone })];
    if (isSeries(written)) return [await reading.readSeries(session, calendar, written)];
    const event = readChange(written, { calendarZone: calendar.timeZone });
    const wasSeries = target.current.content?.recurrence != null;
    // A series that became a single event takes its exceptions with it.
    return wasSeries && event.kind === 'event' ? [{ kind: 'series', master: event.event, exceptions: [] }] : [event];
  }

  async function seriesOf(
    session: ProviderSession,
    calendar: CalendarRef,
    target: Extract<EventTarget, { kind: 'occurrence' }>,
    written?: WireEvent,
  ): Promise<readonly EventChange[]> {
    let master: WireEvent;
    try {
      master = await calls.get(session, calendar.id, target.seriesId);
    } catch (error) {
      if (!isGone(error)) throw error;
      return reading.get(session, calendar, target.seriesId);
    }
    if (master.status === 'cancelled') return [readChange(master, { calendarZone: calendar.timeZone })];
    return [await reading.readSeries(session, calendar, master, written)];
  }

  async function settleConference(
    session: ProviderSession,
    calendar: CalendarRef,
    written: WireEvent,
  ): Promise<WireEvent> {
    let event = written;
    try {
      for (const waitMs of settings.limits.conferenceWaitsMs) {
        if (!isConferencePending(event)) break;
        await settings.clock.sleep(waitMs, session.signal);
        event = await calls.get(session, calendar.id, event.id);
      }
    } catch (error) {
      // The write is done and the next sync brings the link: a failed read must not make it a failed write.
      if (!ProviderError.isInstance(error) && session.signal?.aborted !== true) throw error;
      settings.logger?.warn('a google meeting is left pending', { accountId: session.accountId });
    }
    return event;
  }

  return { afterWrite, seriesOf, settleConference };
}

/** Asks for a later read of a meeting that Google is still creating. */
export function rereads(wire: WireEvent): readonly EventChange[] {
  return isConferencePending(wire) ? [{ kind: 'reread', providerEventId: wire.recurringEventId ?? wire.id }] : [];
}

/** Returns the change as the feed will report it: an instance without its series becomes a cancelled slot. */
export function deletionOf({ providerEventId, current }: Extract<EventTarget, { kind: 'event' }>): EventChange {
  if (current.seriesId === null) return { kind: 'deleted', providerEventId };
  const event = { ...current, providerTag: null, isCancelled: true, content: null, isOrganizer: false };
  return { kind: 'event', event };
}

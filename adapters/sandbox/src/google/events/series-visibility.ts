import type { GoogleContext } from '../google-context.ts';
import type { EventFields, StoredCalendar } from '../google-state.ts';
import { type FoundEvent, touchEvent } from './event-store.ts';

/*
 * "If the new setting is more restrictive (e.g. from public to private), it is applied to all instances. If the new setting
 * is less restrictive (e.g. from private to public), the change is ignored."
 * https://developers.google.com/workspace/calendar/api/v3/reference/events (visibility)
 */

type Visible = Pick<EventFields, 'visibility'>;

const STRICTNESS: Readonly<Record<string, number>> = { public: 0, default: 1, private: 2, confidential: 2 };

/** Returns the fields of an instance after a write, whose visibility a write makes stricter only; of another event, all as written. */
export function withInstanceVisibility(found: FoundEvent, before: EventFields, after: EventFields): EventFields {
  if (seriesOf(found) === undefined || strictness(after) > strictness(before)) return after;
  const { visibility: _, ...rest } = after;
  return before.visibility === undefined ? rest : { ...rest, visibility: before.visibility };
}

/** Gives all of a series the stricter visibility that a write gave to one of its instances. */
export function spreadVisibility(
  context: GoogleContext,
  calendar: StoredCalendar,
  found: FoundEvent,
  { visibility }: Visible,
): void {
  const seriesId = seriesOf(found);
  if (seriesId === undefined || visibility === undefined) return;
  for (const event of Object.values(calendar.events)) {
    const isOfSeries = event.id === seriesId || event.recurringEventId === seriesId;
    if (!isOfSeries || event.cancelled || strictness(event.fields) >= strictness({ visibility })) continue;
    event.fields = { ...event.fields, visibility };
    touchEvent(context, calendar, event);
  }
}

function seriesOf({ event, slot }: FoundEvent): string | undefined {
  return slot === undefined ? event.recurringEventId : event.id;
}

function strictness({ visibility = 'default' }: Visible): number {
  return STRICTNESS[visibility] ?? 1;
}

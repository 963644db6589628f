import { DAY_MS, formatDate, weekdayOf } from 'kalends/zones';
import type { IcsEvent } from './kernel/kernel.ts';

/** A person of the demo. */
export interface DemoPerson {
  readonly email: string;
  readonly name: string;
}

/** The description of a demo event; other fields take defaults. */
export interface DemoEvent {
  /** Name within the calendar; with the calendar's it makes the UID. */
  readonly key: string;
  readonly summary: string;
  /** Days from Monday of the current week. */
  readonly day: number;
  /** `HH:MM` for a timed event, absent for an all-day one. */
  readonly at?: string;
  /** Minutes for a timed event (default 60), days for an all-day one (default 1). */
  readonly length?: number;
  readonly timeZone?: string;
  readonly location?: string;
  readonly description?: string;
  readonly recurrence?: readonly string[];
  readonly organizer?: DemoPerson;
  readonly attendees?: IcsEvent['attendees'];
  readonly isTentative?: boolean;
  readonly categories?: readonly string[];
  readonly transparent?: boolean;
  readonly visibility?: IcsEvent['visibility'];
}

/** An occurrence of a demo series that was moved or cancelled. */
export interface DemoOverride {
  /** Days from Monday of the current week to the original slot. */
  readonly slotDay: number;
  readonly moved?: { readonly day: number; readonly at: string; readonly summary?: string };
}

/**
 * Creates demo events in .ics terms, relative to the week of an instant. The week is that of UTC for every mailbox, so that one
 * query shows the same events of all of them.
 */
export interface DemoWeek {
  event(event: DemoEvent): IcsEvent;
  /** The series with its overrides behind it. */
  series(event: DemoEvent, overrides: readonly DemoOverride[]): readonly IcsEvent[];
  /** The date so many days from Monday, `YYYY-MM-DD`. */
  date(day: number): string;
}

export function demoWeek(options: {
  readonly now: number;
  readonly timeZone: string;
  readonly calendar: string;
}): DemoWeek {
  const today = Math.floor(options.now / DAY_MS);
  const monday = (today - weekdayOf(today)) * DAY_MS;
  const date = (day: number): string => formatDate(monday + day * DAY_MS);

  const times = (day: number, at: string | undefined, length: number | undefined) => {
    if (at === undefined) return { dtstart: date(day), dtend: date(day + (length ?? 1)) };
    const [hours = 0, minutes = 0] = at.split(':').map(Number);
    const endMinutes = hours * 60 + minutes + (length ?? 60);
    return {
      dtstart: `${date(day)}T${clock(hours * 60 + minutes)}`,
      dtend: `${date(day + Math.floor(endMinutes / 1440))}T${clock(endMinutes)}`,
    };
  };

  const event = (input: DemoEvent): IcsEvent => ({
    uid: `${options.calendar}-${input.key}@demo.sandbox.invalid`,
    summary: input.summary,
    description: input.description ?? '',
    location: input.location ?? '',
    ...times(input.day, input.at, input.length),
    timeZone: input.at === undefined ? null : (input.timeZone ?? options.timeZone),
    recurrence: input.recurrence ?? [],
    recurrenceId: null,
    cancelled: false,
    transparent: input.transparent ?? false,
    visibility: input.visibility ?? 'default',
    organizer: input.organizer ?? null,
    attendees: input.attendees ?? [],
    ...(input.isTentative === undefined ? {} : { isTentative: input.isTentative }),
    ...(input.categories === undefined ? {} : { categories: input.categories }),
  });

  return {
    event,
    date,
    series(input, overrides) {
      const master = event(input);
      const slotTime = input.at === undefined ? '' : `T${input.at}:00`;
      return [
        master,
        ...overrides.map(({ slotDay, moved }) => ({
          ...master,
          ...times(moved?.day ?? slotDay, input.at === undefined ? undefined : (moved?.at ?? input.at), input.length),
          summary: moved?.summary ?? master.summary,
          recurrence: [],
          recurrenceId: `${date(slotDay)}${slotTime}`,
          cancelled: moved === undefined,
        })),
      ];
    },
  };
}

function clock(minutes: number): string {
  const ofDay = minutes % 1440;
  return `${String(Math.floor(ofDay / 60)).padStart(2, '0')}:${String(ofDay % 60).padStart(2, '0')}:00`;
}

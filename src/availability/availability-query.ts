import type { Slot } from '../free-busy/index.ts';

/** Days of the week by their names in RFC 5545 §3.3.10, Monday first. */
export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Kinds of busy time, the same as in answers of `/v1/freeBusy`. */
export const BUSY_KINDS = ['busy', 'tentative', 'oof', 'workingElsewhere'] as const;
export type BusyKind = (typeof BUSY_KINDS)[number];

/** Busy time of one participant. An interval of zero length is not busy. */
export interface BusyInterval extends Slot {
  /** @default 'busy' */
  readonly type?: BusyKind | undefined;
  /** Whether an all-day event makes it busy; `allDaySlot` of `kalends/free-busy` has its instants. @default false */
  readonly isAllDay?: boolean | undefined;
}

/**
 * Part of a day by the wall clock: `HH:MM`, up to `24:00`. An `end` before the `start` is on the next day, so that 22:00–06:00 is a
 * night. A time that does not exist takes the offset before the gap, an ambiguous one is the first (RFC 5545 §3.3.5).
 */
export interface DayHours {
  readonly start: string;
  readonly end: string;
}

/** Hours that begin on each of some weekdays. */
export interface WeeklyHours extends DayHours {
  readonly days: readonly Weekday[];
}

/** Hours that begin on one date, in place of the weekly ones and of a holiday. */
export interface OpenHoursException {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** Empty: closed. */
  readonly hours: readonly DayHours[];
}

/** Rules for one participant. Those of the query apply where a participant has none, field by field. */
export interface ParticipantRules {
  /** Free time before each slot. It may lie outside of open hours and of the window. @default 0 */
  readonly bufferBeforeMs?: number | undefined;
  /** Free time after each slot. @default 0 */
  readonly bufferAfterMs?: number | undefined;
  /** Least time between two bookings of the participant, whatever lies between them. @default 0 */
  readonly minGapMs?: number | undefined;
  /** Most bookings that start on one day of the participant's zone, the new one among them. */
  readonly maxPerDay?: number | undefined;
  /** Most bookings that start in one week of the participant's zone, the new one among them. */
  readonly maxPerWeek?: number | undefined;
  /** Weekly hours in the participant's zone; touching ones are one. @default every day, 00:00–24:00 */
  readonly openHours?: readonly WeeklyHours[] | undefined;
  readonly exceptions?: readonly OpenHoursException[] | undefined;
  /** Dates on which no hours begin, `YYYY-MM-DD`. */
  readonly holidays?: readonly string[] | undefined;
}

/**
 * `required`: each slot has them. `optional`: a slot has them if they are free. `host`: a slot of a round-robin query has one of
 * them. Members of groups have no role of their own.
 */
export type ParticipantRole = 'required' | 'optional' | 'host';

/** A person or a room whose time a slot takes. */
export interface Participant extends ParticipantRules {
  /** Unique in the query. */
  readonly id: string;
  /** Zone of the open hours, days and weeks. */
  readonly timeZone: string;
  /** @default 'required', or 'host' in a round-robin query */
  readonly role?: ParticipantRole | undefined;
  /** Busy intervals in any order; they may overlap. */
  readonly busy: readonly BusyInterval[];
  /** Bookings in and around the window, which `minGapMs`, `maxPerDay` and `maxPerWeek` depend on. They are busy time as well. */
  readonly bookings?: readonly Slot[] | undefined;
  /** Recorded assignments so far, of a host or a member of a group. @default 0 */
  readonly assignments?: number | undefined;
  /** Instant of the latest assignment. @default never */
  readonly lastAssignedMs?: number | undefined;
  /** Share of the assignments: 2 gets twice as many as 1. @default 1 */
  readonly weight?: number | undefined;
}

/** Any `take` of some participants: "any 2 of these 5". */
export interface ParticipantGroup {
  /** Unique in the query. */
  readonly id: string;
  /** Ids of participants, each in one group only. */
  readonly members: readonly string[];
  readonly take: number;
}

/** `collective`: all required participants meet. `round-robin`: one of the hosts meets, with the required participants if any. */
export type AvailabilityMode = 'collective' | 'round-robin';

/**
 * Decides which hosts a round-robin query offers. `max-availability`: each slot that any host is free for, with the host of those
 * who is first in line. `max-fairness`: slots of the hosts who are next in line alone; others follow only if these have none.
 */
export type Distribution = 'max-availability' | 'max-fairness';

/** Asks when some participants can meet. All instants and durations are whole milliseconds. */
export interface AvailabilityQuery {
  /** Slots lie within it; at most 366 days. */
  readonly window: Slot;
  /** Elapsed time of each slot, at least a minute. */
  readonly durationMs: number;
  /** Slots start at multiples of it after midnight by the wall clock of `timeZone`; from a minute to a day. */
  readonly stepMs: number;
  /** Zone of the answer and of the steps. */
  readonly timeZone: string;
  /** The present: no slot starts before it. Needed for `noticeMs`. */
  readonly nowMs?: number | undefined;
  /** Least time from `nowMs` to the start of a slot. @default 0 */
  readonly noticeMs?: number | undefined;
  /** @default 'collective' */
  readonly mode?: AvailabilityMode | undefined;
  /** @default 'max-availability' */
  readonly distribution?: Distribution | undefined;
  readonly participants: readonly Participant[];
  readonly groups?: readonly ParticipantGroup[] | undefined;
  /** Rules for participants that do not have their own. */
  readonly rules?: ParticipantRules | undefined;
  /** @default true */
  readonly isAllDayBusy?: boolean | undefined;
  /** @default true */
  readonly isTentativeBusy?: boolean | undefined;
  /** First day of a week, for `maxPerWeek`. @default 'MO' */
  readonly weekStart?: Weekday | undefined;
}

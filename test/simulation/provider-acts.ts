import { DAY_MS, type Rule } from './edit.ts';

export type ProviderName = 'google' | 'microsoft' | 'caldav';

/** The providers whose people sign in by OAuth. */
export type OAuthProviderName = Exclude<ProviderName, 'caldav'>;

// biome-ignore lint/suspicious/noExplicitAny: the provider's JSON of every shape
export type Json = any;

/** A list of occurrences, each as one line: whose slot it is, title, start and end. */
export type Lines = readonly string[];

/** A start and an end, as the person types them. */
export interface Times {
  readonly isAllDay: boolean;
  readonly date: string;
  readonly hour: number;
}

/** A single event, a master or an exception. */
export interface WireObject {
  readonly id: string;
  /** Of an exception, else null. */
  readonly seriesId: string | null;
}

/** Actions on one provider's own API. */
export interface Acts {
  calendars(): Promise<readonly [string, string]>;
  /** Single events and masters. */
  list(
    calendarId: string,
  ): Promise<readonly { readonly id: string; readonly isSeries: boolean; readonly wire: Json }[]>;
  /** Single events, masters and exceptions; none that is cancelled. */
  objects(calendarId: string): Promise<readonly WireObject[]>;
  /** Slots of a series, cancelled ones included where the provider shows them. */
  slots(calendarId: string, seriesId: string): Promise<readonly { readonly id: string; readonly wire: Json }[]>;
  create(calendarId: string, title: string, times: Times, rule?: Rule): Promise<void>;
  retitle(calendarId: string, id: string, title: string): Promise<void>;
  reschedule(calendarId: string, wire: Json, times: Times): Promise<void>;
  changeRule(calendarId: string, wire: Json, rule: Rule): Promise<void>;
  /** Another hour of the same day. */
  moveSlot(calendarId: string, wire: Json, hour: number): Promise<void>;
  remove(calendarId: string, id: string): Promise<void>;
  restore?(calendarId: string, id: string): Promise<void>;
  /** Ends the series before the slot and begins another one there. */
  split(calendarId: string, master: Json, slot: Json, title: string): Promise<void>;
  transfer?(calendarId: string, id: string, toCalendarId: string): Promise<void>;
  occurrences(calendarId: string, from: number, to: number): Promise<Lines>;
}

/** Calls the provider's API. `path` is below `/calendar/v3` or `/v1.0`. */
export type Call = (method: string, path: string, body?: unknown) => Promise<Json>;

export const nextDate = (date: string) => new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10);

export const clock = (hour: number, minutes = '00') => `${String(hour).padStart(2, '0')}:${minutes}:00`;

/** One line of an answer; `start` and `end` are instants or dates. */
export function lineOf(
  id: string,
  recurrenceId: string | undefined,
  title: string,
  start: string,
  end: string,
): string {
  return [id, recurrenceId ?? '-', title, start, end].join(' | ');
}

export const instantText = (text: string) => new Date(text).toISOString();

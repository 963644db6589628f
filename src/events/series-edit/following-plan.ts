import { invalid } from '../../errors.ts';
import type { MasterSeries } from '../../mirror/index.ts';
import type { EventContent, EventPatch, NewEvent, RecurrenceId } from '../../ports/index.ts';
import {
  type Occurrence,
  RecurrenceError,
  type SeriesHalf,
  type SeriesSplit,
  serializeRecurrence,
  splitSeries,
  wallLength,
} from '../../recurrence/index.ts';
import { formatInstant, instantOf, wallAt, wallOfText } from '../../zones/index.ts';
import { dtstartOf } from '../write/input-recurrence.ts';
import { type CarriedException, carryExceptions, isStub } from './carried-exceptions.ts';
import { attendeeInput } from './content-difference.ts';
import { requireCopyable } from './require-copyable.ts';
import { FOLLOWED_BY, FOLLOWS, LINK_KEYS } from './series-link.ts';
import { lengthOf, reshaped, type SeriesShape } from './series-shape.ts';
import { exceptionFinder, type SeriesSnapshot, type SlotTable, slotTable } from './series-snapshot.ts';

/** How "this and following" is done. JSON. */
export interface FollowingPlan {
  /** The new half; null when the occurrences are deleted. */
  readonly insert: NewEvent | null;
  /** Patch that ends the old series before the split. */
  readonly trim: EventPatch;
  /** Exceptions before the split, which stay with the old series. */
  readonly keep: readonly CarriedException[];
  /** Exceptions from the split on, in the slots of the new half. */
  readonly carry: readonly CarriedException[];
}

export interface FollowingOptions {
  readonly calendarZone: string;
  /** Whether the provider lets an organizer write the answers of guests. */
  readonly withAnswers: boolean;
}

/** A half that has one slot, and no line that gives more, is a series all the same: it may have an exception, and keeps its links. */
const ONE_SLOT = 'RRULE:FREQ=DAILY;COUNT=1';

/**
 * Plans "this and following" for a series and one of its slots. `patch` is read against what the series says of the slot;
 * null deletes the slots. Resolves with `'all'` when nothing living comes before the slot: then the whole series is meant.
 * @throws KalendsError InvalidRequest naming `scope` when the series cannot be split there, `start` or `recurrence` when the
 * new half cannot be; UnsupportedByProvider naming a field that the new half would not have as it is
 */
export function planFollowing(
  series: SeriesSnapshot,
  slot: RecurrenceId,
  patch: EventPatch | null,
  options: FollowingOptions,
): FollowingPlan | 'all' {
  const { content } = series.master;
  const table = slotTable(content, options.calendarZone);
  const first = table.slotOf(slot);
  if (!table.has(slot)) throw invalid('scope', 'the series has no occurrence there any more');
  if (!hasLivingBefore(series, table, first)) return 'all';
  const { before, after } = split(content, first);
  if (before === undefined) return 'all';
  const head: SeriesShape = { ...content, recurrence: linesOf(before) };
  const carryOptions = { ...options, addressed: { slot: first, patch: patch ?? {} } };
  const keep = carryExceptions(
    series,
    { ...content, ...head },
    { ...carryOptions, admits: ({ startMs }) => startMs < first.startMs },
  );
  const trim = { recurrence: head.recurrence };
  if (patch === null) return { insert: null, trim, keep, carry: [] };
  requireCopyable([
    series.master,
    ...series.exceptions.filter(({ recurrenceId }) => table.slotOf(recurrenceId).startMs >= first.startMs),
  ]);
  const tail = tailShape(table, first, after, keepsLength(table.contentAt(first), patch));
  const shape = reshaped(tail, table.contentAt(first), patch);
  const isSeries = shape.recurrence !== null && shape.recurrence.length > 0;
  return {
    insert: newHalf(series, shape, patch, options),
    trim,
    keep,
    carry: isSeries
      ? carryExceptions(
          series,
          { ...content, ...shape },
          {
            ...carryOptions,
            isNewSeries: true,
            beganMs: first.wallMs,
            admits: ({ startMs }) => startMs >= first.startMs,
          },
        )
      : [],
  };
}

function hasLivingBefore(series: SeriesSnapshot, table: SlotTable, { startMs: to }: Occurrence): boolean {
  const find = exceptionFinder(series, table);
  for (const earlier of table.compiled.series.iterate({ from: Number.NEGATIVE_INFINITY, to })) {
    const exception = find(table.nameOf(earlier));
    if (exception === undefined || !isStub(exception)) return true;
  }
  return false;
}

function split(content: EventContent, slot: Occurrence): SeriesSplit {
  try {
    return splitSeries({ ...dtstartOf(content), lines: content.recurrence ?? [] }, slot);
  } catch (error) {
    throw error instanceof RecurrenceError ? invalid('scope', `cannot be following here: ${error.message}`) : error;
  }
}

function linesOf({ lines }: SeriesHalf): string[] {
  return lines.some((line) => line.startsWith('R')) ? [...lines] : [ONE_SLOT];
}

/** The new half as the old series has it. */
function tailShape(table: SlotTable, first: Occurrence, after: SeriesHalf, isLengthKept: boolean): SeriesShape {
  const { compiled } = table;
  const { timeZone } = compiled;
  const wallMs = wallOfText(after.dtstart);
  requireShown(table, wallMs);
  const startMs = timeZone === null ? wallMs : instantOf(timeZone, wallMs);
  // Of dates alone, it can begin with one that has a length of its own, and is as long then: the others are written with theirs.
  const isOwn = isLengthKept && first.durationMs !== undefined && first.startMs === startMs && !hasRule(after);
  const { start, end, isAllDay } = table.contentAt(isOwn ? first : { startMs, wallMs });
  return {
    start,
    end,
    isAllDay,
    recurrence: isOwn ? linesOf({ ...after, lines: datedLines(compiled, first) }) : linesOf(after),
  };
}

/** Whether a patch leaves an occurrence as long as it is shown. */
function keepsLength(
  shown: EventContent,
  { start = shown.start, end = shown.end, isAllDay = shown.isAllDay }: EventPatch,
): boolean {
  return isAllDay === shown.isAllDay && lengthOf({ start, end, isAllDay }) === lengthOf(shown);
}

function hasRule({ lines }: SeriesHalf): boolean {
  return lines.some((line) => line.startsWith('RRULE'));
}

/** Writes the slots after one as RDATEs with their lengths. */
function datedLines({ series, endOf }: MasterSeries, { startMs: from }: Occurrence): readonly string[] {
  const [, ...others] = series.occurrences({ from, to: Number.POSITIVE_INFINITY });
  const dates = others.map((slot) => ({
    time: { form: 'utc' as const, wallMs: slot.startMs },
    durationMs: endOf(slot) - slot.startMs,
  }));
  // A period has a length (RFC 5545 §3.3.9).
  if (dates.some(({ durationMs }) => durationMs <= 0)) {
    throw invalid(
      'scope',
      'cannot be following here: the occurrence lasts longer than those after it, which last no time',
    );
  }
  return serializeRecurrence({ rules: [], exceptionRules: [], dates, exceptionDates: [] });
}

/**
 * Checks that a series can begin with this occurrence of another: a provider is told an instant, from which it would take
 * another time of day, or length, for all of it. @throws KalendsError InvalidRequest naming `scope`
 */
export function requireShown({ compiled, contentAt }: SlotTable, wallMs: number): void {
  const { timeZone } = compiled;
  if (timeZone === null) return;
  const startMs = instantOf(timeZone, wallMs);
  if (wallAt(timeZone, startMs) !== wallMs) {
    const shown = formatInstant(timeZone, startMs);
    throw invalid('scope', `cannot be following here: the clocks skip the start (${shown}): take the next occurrence`);
  }
  if (wallLength(timeZone, startMs, compiled.endOf({ startMs })) !== compiled.durationMs) {
    const { end } = contentAt({ startMs, wallMs });
    const rule = `cannot be following here: the clocks skip the end (${end.dateTime}): take the next occurrence`;
    throw invalid('scope', rule);
  }
}

/** The new half: what the old series says, and over it the patch. */
function newHalf(
  { master }: SeriesSnapshot,
  shape: SeriesShape,
  patch: EventPatch,
  { withAnswers }: FollowingOptions,
): NewEvent {
  const { content, providerEventId } = master;
  const { recurrence, start, end, isAllDay } = shape;
  const { isCancelled, publicExtendedProperties: open, privateExtendedProperties: own, ...said } = patch;
  const guests = attendeeInput(content.attendees, withAnswers);
  const isMeetingSaid = said.conferenceData !== undefined || said.generateMeetingUrlProvider !== undefined;
  const followedBy = content.privateExtendedProperties[FOLLOWED_BY];
  return {
    ...copied(content, guests),
    ...(isMeetingSaid ? {} : meeting(content)),
    ...said,
    // A provider that takes the exceptions along itself does not take the one of a first occurrence that comes back.
    ...(isCancelled === false ? { isCancelled } : {}),
    ...(said.attendees == null
      ? {}
      : { attendees: said.attendees.map((guest) => ({ ...known(guests, guest.email), ...guest })) }),
    publicExtendedProperties: merged(content.publicExtendedProperties, open),
    privateExtendedProperties: {
      ...merged(withoutLinks(content.privateExtendedProperties), own),
      [FOLLOWS]: providerEventId,
      ...(followedBy === undefined ? {} : { [FOLLOWED_BY]: followedBy }),
    },
    start,
    end,
    isAllDay,
    ...(recurrence === null || recurrence.length === 0 ? { recurrence: null } : { recurrence }),
  };
}

type Guests = NonNullable<EventPatch['attendees']>;

/** Returns a guest who stays, with response and kind. */
function known(guests: Guests, email: string): Guests[number] | undefined {
  return guests.find((guest) => guest.email.toLowerCase() === email.toLowerCase());
}

/** Content that a new event can be given. */
function copied(content: EventContent, attendees: Guests): EventPatch {
  const { title, description, location, visibility, transparency, eventType, reminders } = content;
  const { colorId, customColor } = content;
  return {
    title,
    location,
    visibility,
    transparency,
    reminders,
    ...(description === '' ? {} : { description }),
    ...(eventType === 'default' ? {} : { eventType }),
    ...(colorId === undefined ? {} : { colorId }),
    ...(customColor === undefined ? {} : { customColor }),
    ...(attendees.length === 0 ? {} : { attendees }),
    ...extensions(content),
  };
}

/** Extensions that differ from what a new event has by itself. */
function extensions(content: EventContent): EventPatch {
  const { status, showAs, categories, locationDetails, guestsCanSeeOtherGuests } = content;
  return {
    ...(status === 'confirmed' ? {} : { status }),
    ...(showAs === 'workingElsewhere' ? { showAs } : {}),
    ...(categories.length === 0 ? {} : { categories }),
    ...(locationDetails === undefined ? {} : { locationDetails }),
    ...(guestsCanSeeOtherGuests ? {} : { guestsCanSeeOtherGuests }),
    ...(content.guestsCanModify === true ? { guestsCanModify: true } : {}),
    ...(content.guestsCanInviteOthers === false ? { guestsCanInviteOthers: false } : {}),
    ...(content.allowNewTimeProposals === false ? { allowNewTimeProposals: false } : {}),
  };
}

/** A meeting is made anew where the provider makes them; a link that was given is given again. */
function meeting({ generateMeetingUrlProvider, conferenceData }: EventContent): EventPatch {
  if (generateMeetingUrlProvider !== undefined) return { generateMeetingUrlProvider };
  return conferenceData === undefined ? {} : { conferenceData };
}

function withoutLinks(properties: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !LINK_KEYS.has(key)));
}

function merged(
  current: Readonly<Record<string, string>>,
  patch: EventPatch['publicExtendedProperties'],
): Readonly<Record<string, string>> {
  if (patch === undefined) return current;
  const entries = Object.entries({ ...(patch === null ? {} : current), ...patch });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}

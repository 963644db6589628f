import {
  type Attendance,
  availableRangesInSteps,
  availableSlots,
  availableSlotsInSteps,
  type SlotObstacle as CoreObstacle,
  type AvailabilityQuery as CoreQuery,
  explainSlotInSteps,
} from '../availability/index.ts';
import type { AvailabilityService } from '../availability-interface.ts';
import { invalid, KalendsError } from '../errors.ts';
import { type AccountBusyReader, type PeopleBusyReader, queryInstant } from '../events/index.ts';
import type { Slot } from '../free-busy/index.ts';
import {
  type AvailabilityQuery,
  type AvailabilityResult,
  availabilityExplainQuery,
  availabilityQuery,
  MOST_ADDRESSES,
  MOST_CALENDARS,
  type NotConnectedPerson,
  parseInput,
  type SlotObstacle,
} from '../model/index.ts';
import type { Clock, HoldStore } from '../ports/index.ts';
import type { TokenSealer } from '../runtime/index.ts';
import { formatInstant } from '../zones/index.ts';
import { coreQuery, type Question, withBuffers } from './core-query.ts';
import { mergedBusy, readParticipants } from './participant-busy.ts';
import { readPeople } from './people-time.ts';
import { checkPool, readSince, withAssignments } from './recorded-assignments.ts';
import { refuseAsRequest } from './refuse-as-request.ts';
import { searchInTurns } from './search-in-turns.ts';

export interface AvailabilityServiceDeps {
  readonly busy: AccountBusyReader;
  readonly people: PeopleBusyReader;
  /** Counts what holds were assigned. */
  readonly holds: Pick<HoldStore, 'countAssigned'>;
  readonly clock: Clock;
  readonly pageTokens: TokenSealer;
}

/** When participants can meet: the calendars of accounts, searched by `kalends/availability`. */
export function createAvailabilityService({
  busy,
  people,
  holds,
  clock,
  pageTokens,
}: AvailabilityServiceDeps): AvailabilityService {
  /** Checks a question before anything is read for it. */
  function checked(question: Question): CoreQuery {
    const named = question.participants.flatMap(({ accounts = [] }) => accounts);
    if (named.reduce((sum, { calendarIds = [] }) => sum + calendarIds.length, 0) > MOST_CALENDARS)
      throw invalid('participants', `must name at most ${MOST_CALENDARS} calendars in all`);
    if (question.participants.reduce((sum, { addresses = [] }) => sum + addresses.length, 0) > MOST_ADDRESSES)
      throw invalid('participants', `must name at most ${MOST_ADDRESSES} addresses in all`);
    checkPool(question);
    const query = coreQuery(question, clock.now());
    readSince(question.roundRobin?.sinceDateTime, query.timeZone);
    refuseAsRequest(() => availableSlots({ ...query, window: firstMinutes(query) }, { limit: 1 }));
    return query;
  }

  /** Adds the busy time of the participants' calendars and addresses, as it is or merged, and the recorded assignments of the hosts. */
  async function withCalendars(
    applicationId: string,
    question: Question,
    query: CoreQuery,
    windows: readonly Slot[],
    isMerged: boolean,
  ): Promise<{ readonly whole: CoreQuery; readonly notConnected: readonly NotConnectedPerson[] }> {
    const spans = await readParticipants(busy, applicationId, question.participants, windows);
    const others = await readPeople(people, applicationId, question, windows);
    const participants = [];
    for (const [index, participant] of query.participants.entries()) {
      const all = [...participant.busy, ...(spans[index] ?? []), ...(others.spans[index] ?? [])];
      participants.push({ ...participant, busy: isMerged ? await mergedBusy(all, query, applicationId) : all });
    }
    const whole = await withAssignments(holds, applicationId, question, { ...query, participants });
    return { whole, notConnected: others.people };
  }

  return {
    async query({ applicationId }, body) {
      const input = parseInput(availabilityQuery, body);
      const query = checked(input);
      const pages = pagesOf(pageTokens, applicationId, input);
      const options = { limit: input.limit, cursor: pages.cursor };
      const windows = [withBuffers(query.window, query)];
      const { whole, notConnected } = await withCalendars(applicationId, input, query, windows, true);
      const marks = notConnected.length === 0 ? {} : { notConnected: [...notConnected] };
      if (input.result === 'ranges') {
        const { ranges, line, nextCursor } = await searchInTurns(applicationId, availableRangesInSteps(whole, options));
        return {
          ranges: ranges.map((range) => ({ ...bounds(range, query.timeZone), ...attendanceOf(range) })),
          line: [...line],
          ...marks,
          nextPageToken: pages.token(nextCursor),
        };
      }
      const order = input.orderBy === 'rank' ? 'rank' : 'start';
      const { slots, total, line, nextCursor } = await searchInTurns(
        applicationId,
        availableSlotsInSteps(whole, { ...options, order }),
      );
      return {
        slots: slots.map((slot) => {
          const { start, end, rank, reason } = slot;
          const { timeZone } = query;
          const times = { start: { dateTime: start, timeZone }, end: { dateTime: end, timeZone } };
          return { ...times, ...attendanceOf(slot), rank, reason };
        }),
        total,
        line: [...line],
        ...marks,
        nextPageToken: pages.token(nextCursor),
      } satisfies AvailabilityResult;
    },

    async explain({ applicationId }, body) {
      const { slotDateTime, ...question } = parseInput(availabilityExplainQuery, body);
      const query = checked(question);
      const startMs = queryInstant('slotDateTime', slotDateTime, query.timeZone, 'down');
      const slot = { startMs, endMs: startMs + query.durationMs };
      const { startMs: first, endMs: last } = query.window;
      const isWithin = slot.startMs >= first && slot.endMs <= last;
      const windows = [query.window, ...(isWithin ? [] : [slot])].map((window) => withBuffers(window, query));
      const { whole, notConnected } = await withCalendars(applicationId, question, query, windows, false);
      const { isOffered, obstacles, participants } = await searchInTurns(
        applicationId,
        explainSlotInSteps(whole, startMs),
      );
      const shown = (found: readonly CoreObstacle[]) =>
        found.map((obstacle) => unknownTime(obstacle, notConnected) ?? shownObstacle(obstacle, query.timeZone));
      return {
        ...bounds(slot, query.timeZone),
        isOffered,
        obstacles: shown(obstacles),
        participants: participants.map(({ id, isFree, obstacles: own }) => ({ id, isFree, obstacles: shown(own) })),
      };
    },
  };
}

/** The first part of a window that has room for a slot: a search of it checks every field, and takes no time. */
function firstMinutes({ window, durationMs }: CoreQuery): Slot {
  return { startMs: window.startMs, endMs: Math.min(window.endMs, window.startMs + durationMs) };
}

/** Seals and opens the page tokens of one query: a token belongs to its application and its query. */
function pagesOf(tokens: TokenSealer, applicationId: string, { pageToken, limit: _, ...query }: AvailabilityQuery) {
  const of = tokens.fingerprint([applicationId, query]);
  const opened = pageToken === undefined ? [of, null] : tokens.open(pageToken);
  // Trusted: only this function seals with this sealer.
  const [owner, cursor] = (opened ?? []) as readonly [string?, (string | null)?];
  if (owner !== of) {
    const message = 'is not a token of this query';
    const details = [{ path: 'pageToken', message }];
    throw new KalendsError('InvalidPageToken', `pageToken: ${message}`, { details });
  }
  return {
    cursor: cursor ?? null,
    token: (next: string | null) => (next === null ? null : tokens.sealAlike([of, next])),
  };
}

function bounds({ startMs, endMs }: Slot, timeZone: string) {
  const point = (ms: number) => ({ dateTime: formatInstant(timeZone, ms), timeZone });
  return { start: point(startMs), end: point(endMs) };
}

function attendanceOf({ participants, absent }: Attendance) {
  return { participants: [...participants], absent: [...absent] };
}

/** Returns the obstacle of a participant who counts as busy since the provider does not tell their time. */
function unknownTime(
  { code, participantId }: CoreObstacle,
  notConnected: readonly NotConnectedPerson[],
): SlotObstacle | undefined {
  const person = notConnected.find((each) => each.error !== undefined && each.participantId === participantId);
  if (person === undefined || participantId === undefined || (code !== 'busy' && code !== 'buffer')) return undefined;
  const text = `${participantId} counts as busy: ${person.email} cannot be read (${person.error?.code})`;
  return { code: 'unknown', participantId, text };
}

function shownObstacle({ interval, ...obstacle }: CoreObstacle, timeZone: string): SlotObstacle {
  return { ...obstacle, ...(interval === undefined ? {} : bounds(interval, timeZone)) };
}

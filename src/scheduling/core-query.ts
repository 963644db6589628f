import type { AvailabilityQuery as CoreQuery, Participant, ParticipantRules } from '../availability/index.ts';
import { invalid } from '../errors.ts';
import { queryInstant, readWindow, requireZone } from '../events/index.ts';
import type { Slot } from '../free-busy/index.ts';
import type { AvailabilityParticipant, AvailabilityQuery, AvailabilityRules } from '../model/index.ts';
import { DAY_MS } from '../zones/index.ts';

const MINUTE_MS = 60_000;
const DEFAULT_STEP_MINUTES = 15;
/** Participants times days of the window: bounds the work of a search, which is done in turns of the event loop. */
const MOST_PARTICIPANT_DAYS = 10_000;

/** The part of a query that says when who can meet. */
export type Question = Omit<AvailabilityQuery, 'result' | 'orderBy' | 'limit' | 'pageToken'>;

/** Returns a query as `kalends/availability` has it, with the busy time of the request alone. @throws KalendsError InvalidRequest */
export function coreQuery(question: Question, nowMs: number): CoreQuery {
  const { zone, window } = readWindow(question);
  const { participants, rules, noticeMinutes, durationMinutes, stepMinutes = DEFAULT_STEP_MINUTES } = question;
  if (participants.length * Math.ceil((window.endMs - window.startMs) / DAY_MS) > MOST_PARTICIPANT_DAYS) {
    const rule = `must be at most ${MOST_PARTICIPANT_DAYS.toLocaleString('en')}, times the days of the window`;
    throw invalid('participants', rule);
  }
  return {
    window,
    nowMs: Math.floor(nowMs),
    timeZone: zone,
    // Slots of holds have whole seconds, which minutes cannot give exactly.
    durationMs: Math.round(durationMinutes * MINUTE_MS),
    stepMs: stepMinutes * MINUTE_MS,
    noticeMs: msOf(noticeMinutes),
    mode: question.mode,
    distribution: question.distribution,
    participants: participants.map((participant, index) => coreParticipant(participant, zone, `participants.${index}`)),
    groups: question.groups,
    rules: rules === undefined ? undefined : coreRules(rules),
    isAllDayBusy: question.isAllDayBusy,
    isTentativeBusy: question.isTentativeBusy,
    weekStart: question.weekStart,
  };
}

function coreParticipant(participant: AvailabilityParticipant, queryZone: string, path: string): Participant {
  const { id, timeZone, role, busy = [], bookings, assignments, lastAssignedDateTime, weight } = participant;
  const zone = timeZone === undefined ? queryZone : requireZone(`${path}.timeZone`, timeZone);
  return {
    id,
    timeZone: zone,
    role,
    busy: busy.map((interval, index) => {
      const { type, isAllDay } = interval;
      return { ...slotOf(interval, zone, `${path}.busy.${index}`), type, isAllDay };
    }),
    bookings: bookings?.map((booking, index) => slotOf(booking, zone, `${path}.bookings.${index}`)),
    assignments,
    lastAssignedMs:
      lastAssignedDateTime === undefined
        ? undefined
        : queryInstant(`${path}.lastAssignedDateTime`, lastAssignedDateTime, zone, 'down'),
    weight,
    ...coreRules(participant),
  };
}

/** Rounds outwards: time of which a part is busy is not free. */
function slotOf(
  { startDateTime, endDateTime }: { readonly startDateTime: string; readonly endDateTime: string },
  zone: string,
  path: string,
): Slot {
  return {
    startMs: queryInstant(`${path}.startDateTime`, startDateTime, zone, 'down'),
    endMs: queryInstant(`${path}.endDateTime`, endDateTime, zone, 'up'),
  };
}

function coreRules(rules: AvailabilityRules): ParticipantRules {
  const { maxPerDay, maxPerWeek, openHours, exceptions, holidays } = rules;
  return {
    bufferBeforeMs: msOf(rules.bufferBeforeMinutes),
    bufferAfterMs: msOf(rules.bufferAfterMinutes),
    minGapMs: msOf(rules.minGapMinutes),
    maxPerDay,
    maxPerWeek,
    openHours,
    exceptions,
    holidays,
  };
}

function msOf(minutes: number | undefined): number | undefined {
  return minutes === undefined ? undefined : minutes * MINUTE_MS;
}

/** Returns the time in which busy time matters to slots within a window: with the longest buffers around it. */
export function withBuffers({ startMs, endMs }: Slot, { participants, rules }: CoreQuery): Slot {
  const all = [...participants, ...(rules === undefined ? [] : [rules])];
  return {
    startMs: startMs - Math.max(0, ...all.map(({ bufferBeforeMs = 0 }) => bufferBeforeMs)),
    endMs: endMs + Math.max(0, ...all.map(({ bufferAfterMs = 0 }) => bufferAfterMs)),
  };
}

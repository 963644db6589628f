import { type IntervalSet, normalize, type Slot } from '../free-busy/index.ts';
import { intlZones, type Zones } from '../zones/index.ts';
import {
  type AvailabilityQuery,
  type BusyInterval,
  type Participant,
  type ParticipantRole,
  type ParticipantRules,
  WEEKDAYS,
} from './availability-query.ts';
import { checkQuery } from './check-query.ts';
import type { Steps } from './steps.ts';

/** A participant with every default filled in. */
export interface ResolvedParticipant {
  readonly id: string;
  readonly timeZone: string;
  /** `member` of a group. */
  readonly role: ParticipantRole | 'member';
  /** Intervals that count as busy, as given, with the bookings. */
  readonly busy: readonly BusyInterval[];
  /** The same time, merged. */
  readonly busyTime: IntervalSet;
  readonly bookings: readonly Slot[];
  readonly rules: ParticipantRules & {
    readonly bufferBeforeMs: number;
    readonly bufferAfterMs: number;
    readonly minGapMs: number;
  };
  readonly assignments: number;
  readonly lastAssignedMs: number;
  readonly weight: number;
}

/** Some participants, of whom a slot takes a number: a group of the query, or its hosts. */
export interface Pool {
  /** Undefined for the hosts. */
  readonly groupId: string | undefined;
  readonly members: readonly ResolvedParticipant[];
  readonly take: number;
}

/** A query that was checked, with every default filled in. */
export interface ResolvedQuery {
  readonly window: Slot;
  readonly earliestMs: number;
  readonly durationMs: number;
  readonly stepMs: number;
  readonly timeZone: string;
  readonly isFairest: boolean;
  /** Index of the first day of a week, Monday is 0. */
  readonly weekStart: number;
  readonly participants: readonly ResolvedParticipant[];
  readonly required: readonly ResolvedParticipant[];
  readonly optional: readonly ResolvedParticipant[];
  readonly hosts: readonly ResolvedParticipant[];
  readonly pools: readonly Pool[];
  readonly zones: Zones;
}

/**
 * Checks a query and fills in its defaults.
 * @throws AvailabilityError for a field that violates a rule.
 */
export function* resolveQuery(query: AvailabilityQuery, zones: Zones = intlZones): Steps<ResolvedQuery> {
  yield* checkQuery(query, zones);
  const { window, durationMs, stepMs, timeZone, groups = [], weekStart = 'MO' } = query;
  const grouped = new Set(groups.flatMap(({ members }) => members));
  const participants: ResolvedParticipant[] = [];
  for (const participant of query.participants) {
    participants.push(resolveParticipant(participant, query, grouped));
    yield participant.busy.length;
  }
  const byId = new Map(participants.map((participant) => [participant.id, participant]));
  const withRole = (role: ParticipantRole) => participants.filter((participant) => participant.role === role);
  const hosts = withRole('host');
  const pools: Pool[] = groups.map(({ id, members, take }) => ({
    groupId: id,
    members: members.flatMap((member) => byId.get(member) ?? []),
    take,
  }));
  if (hosts.length > 0) pools.push({ groupId: undefined, members: hosts, take: 1 });
  return {
    window,
    earliestMs: Math.max(window.startMs, (query.nowMs ?? Number.NEGATIVE_INFINITY) + (query.noticeMs ?? 0)),
    durationMs,
    stepMs,
    timeZone,
    isFairest: query.distribution === 'max-fairness',
    weekStart: WEEKDAYS.indexOf(weekStart),
    participants,
    required: withRole('required'),
    optional: withRole('optional'),
    hosts,
    pools,
    zones,
  };
}

function resolveParticipant(
  participant: Participant,
  query: AvailabilityQuery,
  grouped: ReadonlySet<string>,
): ResolvedParticipant {
  const { id, timeZone, bookings = [], assignments = 0, weight = 1 } = participant;
  const { isAllDayBusy = true, isTentativeBusy = true, mode } = query;
  const counted = participant.busy.filter(
    ({ type, isAllDay = false }) => (isTentativeBusy || type !== 'tentative') && (isAllDayBusy || !isAllDay),
  );
  const busy = [...counted, ...bookings];
  return {
    id,
    timeZone,
    role: grouped.has(id) ? 'member' : (participant.role ?? (mode === 'round-robin' ? 'host' : 'required')),
    busy,
    busyTime: normalize(busy),
    bookings,
    rules: mergeRules(participant, query.rules ?? {}),
    assignments,
    lastAssignedMs: participant.lastAssignedMs ?? Number.NEGATIVE_INFINITY,
    weight,
  };
}

function mergeRules(own: ParticipantRules, common: ParticipantRules): ResolvedParticipant['rules'] {
  return {
    bufferBeforeMs: own.bufferBeforeMs ?? common.bufferBeforeMs ?? 0,
    bufferAfterMs: own.bufferAfterMs ?? common.bufferAfterMs ?? 0,
    minGapMs: own.minGapMs ?? common.minGapMs ?? 0,
    maxPerDay: own.maxPerDay ?? common.maxPerDay,
    maxPerWeek: own.maxPerWeek ?? common.maxPerWeek,
    openHours: own.openHours ?? common.openHours,
    exceptions: own.exceptions ?? common.exceptions,
    holidays: own.holidays ?? common.holidays,
  };
}

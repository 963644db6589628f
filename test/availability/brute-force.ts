import type { AvailabilityQuery, DayHours, Participant, ParticipantRules } from 'kalends/availability';
import { Temporal } from 'temporal-polyfill';

/*
 * The same questions, answered minute by minute: every minute of the window is tried as a start, and every minute of the meeting and
 * its buffers is looked up. Nothing of the sources is used; wall times come from Temporal. All instants are whole minutes.
 */
const MINUTE = 60_000;
const NAMES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

interface Wall {
  readonly minuteOfDay: number;
  readonly date: Temporal.PlainDate;
}

const walls = new Map<string, Wall>();

function wallOf(zone: string, minute: number): Wall {
  // Offsets change at quarters of an hour.
  const quarter = Math.floor(minute / 15) * 15;
  const key = `${zone} ${quarter}`;
  let wall = walls.get(key);
  if (wall === undefined) {
    const time = Temporal.Instant.fromEpochMilliseconds(quarter * MINUTE).toZonedDateTimeISO(zone);
    wall = { minuteOfDay: time.hour * 60 + time.minute, date: time.toPlainDate() };
    walls.set(key, wall);
  }
  return { date: wall.date, minuteOfDay: wall.minuteOfDay + minute - quarter };
}

const instants = new Map<string, number>();

function minuteAt(zone: string, date: Temporal.PlainDate, time: string): number {
  const key = `${zone} ${date} ${time}`;
  let minute = instants.get(key);
  if (minute === undefined) {
    const [hour = 0, minutes = 0] = time.split(':').map(Number);
    const plain = date.add({ days: hour === 24 ? 1 : 0 }).toPlainDateTime({ hour: hour % 24, minute: minutes });
    minute = plain.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds / MINUTE;
    instants.set(key, minute);
  }
  return minute;
}

function minutesOf(slots: readonly { startMs: number; endMs: number }[]): ReadonlySet<number> {
  const minutes = new Set<number>();
  for (const { startMs, endMs } of slots)
    for (let minute = startMs / MINUTE; minute < endMs / MINUTE; minute += 1) minutes.add(minute);
  return minutes;
}

function hoursBegunOn(date: Temporal.PlainDate, rules: ParticipantRules): readonly DayHours[] {
  const exception = rules.exceptions?.find((one) => one.date === date.toString());
  if (exception !== undefined) return exception.hours;
  if (rules.holidays?.includes(date.toString()) === true) return [];
  if (rules.openHours === undefined) return [{ start: '00:00', end: '24:00' }];
  return rules.openHours.filter(({ days }) => (days as readonly string[]).includes(NAMES[date.dayOfWeek - 1] ?? ''));
}

function openMinutes(rules: ParticipantRules, zone: string, from: number, to: number): ReadonlySet<number> {
  const open = new Set<number>();
  const last = wallOf(zone, to).date;
  for (let date = wallOf(zone, from).date.subtract({ days: 2 }); ; date = date.add({ days: 1 })) {
    for (const { start, end } of hoursBegunOn(date, rules)) {
      const endDate = end < start ? date.add({ days: 1 }) : date;
      const until = minuteAt(zone, endDate, end);
      for (let minute = minuteAt(zone, date, start); minute < until; minute += 1) open.add(minute);
    }
    if (Temporal.PlainDate.compare(date, last) >= 0) return open;
  }
}

/** Returns a function that says whether a participant can take the slot that starts at a minute. */
function takerOf(participant: Participant, query: AvailabilityQuery): (start: number) => boolean {
  const of = <Name extends keyof ParticipantRules>(name: Name) => participant[name] ?? query.rules?.[name];
  const rules = { openHours: of('openHours'), exceptions: of('exceptions'), holidays: of('holidays') };
  const { timeZone: zone, bookings = [] } = participant;
  const length = query.durationMs / MINUTE;
  const before = (of('bufferBeforeMs') ?? 0) / MINUTE;
  const after = (of('bufferAfterMs') ?? 0) / MINUTE;
  const gap = (of('minGapMs') ?? 0) / MINUTE;
  const counted = participant.busy.filter(
    ({ type, isAllDay }) =>
      !(type === 'tentative' && query.isTentativeBusy === false) &&
      !(isAllDay === true && query.isAllDayBusy === false),
  );
  const busy = minutesOf([...counted, ...bookings]);
  const booked = minutesOf(bookings);
  const open = openMinutes(rules, zone, query.window.startMs / MINUTE, query.window.endMs / MINUTE);
  const dayOf = (minute: number) => wallOf(zone, minute).date;
  const weekOf = (minute: number) => {
    const date = dayOf(minute);
    return date.subtract({ days: (date.dayOfWeek - 1 - NAMES.indexOf(query.weekStart ?? 'MO') + 7) % 7 });
  };
  const days = bookings.map(({ startMs }) => dayOf(startMs / MINUTE).toString());
  const weeks = bookings.map(({ startMs }) => weekOf(startMs / MINUTE).toString());
  const none = (from: number, to: number, is: (minute: number) => boolean) => {
    for (let minute = from; minute < to; minute += 1) if (is(minute)) return false;
    return true;
  };
  const { maxPerDay = Number.POSITIVE_INFINITY, maxPerWeek = Number.POSITIVE_INFINITY } = {
    maxPerDay: of('maxPerDay'),
    maxPerWeek: of('maxPerWeek'),
  };
  return (start) =>
    none(start - before, start + length + after, (minute) => busy.has(minute)) &&
    none(start, start + length, (minute) => !open.has(minute)) &&
    none(start - gap, start + length + gap, (minute) => booked.has(minute) && gap > 0) &&
    (maxPerDay === Number.POSITIVE_INFINITY ||
      days.filter((day) => day === dayOf(start).toString()).length < maxPerDay) &&
    (maxPerWeek === Number.POSITIVE_INFINITY ||
      weeks.filter((week) => week === weekOf(start).toString()).length < maxPerWeek);
}

const claimOf = ({ assignments = 0, weight = 1 }: Participant) => (2 * assignments + 1) / weight;

/** Returns participants in line, each with its turn. */
function lineOf(members: readonly Participant[]): readonly { participant: Participant; turn: number }[] {
  const claims = [...new Set(members.map(claimOf))].sort((a, b) => a - b);
  return claims.flatMap((claim, turn) =>
    members
      .filter((member) => claimOf(member) === claim)
      .sort((a, b) => (a.lastAssignedMs ?? -1e15) - (b.lastAssignedMs ?? -1e15))
      .map((participant) => ({ participant, turn })),
  );
}

export interface BruteSlot {
  readonly startMs: number;
  readonly participants: readonly string[];
  readonly absent: readonly string[];
  readonly onStep: boolean;
  readonly ranking: readonly number[];
}

/** Returns every minute at which the participants can meet, with who is taken. `turn` restricts the hosts. */
function meetings(query: AvailabilityQuery, turn: number | undefined): readonly BruteSlot[] {
  const { participants, groups = [], window, durationMs, nowMs = -1e15, noticeMs = 0, mode } = query;
  const grouped = groups.flatMap(({ members }) => members);
  const roleOf = ({ id, role }: Participant) =>
    grouped.includes(id) ? 'member' : (role ?? (mode === 'round-robin' ? 'host' : 'required'));
  const takers = new Map(participants.map((participant) => [participant, takerOf(participant, query)]));
  const pools = groups.map(({ members, take }) => ({
    line: lineOf(
      participants
        .filter(({ id }) => members.includes(id))
        .sort((a, b) => members.indexOf(a.id) - members.indexOf(b.id)),
    ),
    take,
  }));
  const hosts = lineOf(participants.filter((participant) => roleOf(participant) === 'host'));
  if (hosts.length > 0) pools.push({ line: hosts.filter((one) => turn === undefined || one.turn === turn), take: 1 });
  const found: BruteSlot[] = [];
  for (let start = window.startMs / MINUTE; start * MINUTE + durationMs <= window.endMs; start += 1) {
    if (start * MINUTE < nowMs + noticeMs) continue;
    const isFree = (participant: Participant) => takers.get(participant)?.(start) === true;
    if (!participants.every((participant) => roleOf(participant) !== 'required' || isFree(participant))) continue;
    const chosen = pools.map(({ line, take }) => line.filter(({ participant }) => isFree(participant)).slice(0, take));
    if (chosen.some((picked, index) => picked.length < (pools[index]?.take ?? 0))) continue;
    const optional = participants.filter((participant) => roleOf(participant) === 'optional');
    const absent = optional.filter((participant) => !isFree(participant));
    const taken = chosen.flat().map(({ participant }) => participant.id);
    found.push({
      startMs: start * MINUTE,
      participants: participants
        .filter(
          (one) =>
            roleOf(one) === 'required' || taken.includes(one.id) || (optional.includes(one) && !absent.includes(one)),
        )
        .map(({ id }) => id),
      absent: absent.map(({ id }) => id),
      onStep: wallOf(query.timeZone, start).minuteOfDay % (query.stepMs / MINUTE) === 0,
      ranking: [absent.length, chosen.flat().reduce((sum, picked) => sum + picked.turn, 0), start],
    });
  }
  return found;
}

function byTurns(query: AvailabilityQuery, isWanted: (slot: BruteSlot) => boolean): readonly BruteSlot[] {
  if (query.distribution !== 'max-fairness') return meetings(query, undefined).filter(isWanted);
  for (let turn = 0; turn < query.participants.length; turn += 1) {
    const found = meetings(query, turn).filter(isWanted);
    if (found.length > 0) return found;
  }
  return [];
}

/** Returns the slots of a query, ascending. */
export function bruteSlots(query: AvailabilityQuery): readonly BruteSlot[] {
  return byTurns(query, ({ onStep }) => onStep);
}

/** Returns the ranges of a query: minutes in a row with the same participants. */
export function bruteRanges(query: AvailabilityQuery) {
  const ranges: { startMs: number; endMs: number; participants: readonly string[] }[] = [];
  for (const { startMs, participants } of byTurns(query, () => true)) {
    const last = ranges.at(-1);
    const goesOn =
      last?.endMs === startMs - MINUTE + query.durationMs && String(last.participants) === String(participants);
    if (goesOn) last.endMs = startMs + query.durationMs;
    else ranges.push({ startMs, endMs: startMs + query.durationMs, participants });
  }
  return ranges;
}

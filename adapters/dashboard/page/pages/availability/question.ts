import type { AvailabilityGroup, AvailabilityParticipant, AvailabilityQuery } from 'kalends/model';
import { addDays } from '../../parts/wall-time.ts';

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Weekday = (typeof WEEKDAYS)[number];
export type Mode = 'collective' | 'max-availability' | 'max-fairness';
/** Members of `group-1` are those of whom a slot takes some. */
export type Role = 'required' | 'optional' | 'host' | `group-${number}`;

/** An account whose time a slot takes. Numbers are texts as they were typed. */
export interface Person {
  readonly accountId: string;
  /** Calendars that count; by default those that are the account's own. */
  readonly calendarIds?: readonly string[] | undefined;
  readonly role: Role;
  readonly weight?: string | undefined;
  readonly assignments?: string | undefined;
}

export interface Hours {
  readonly days: readonly Weekday[];
  readonly start: string;
  readonly end: string;
}

/** The content of the form, and of the page's address. Numbers are texts as they were typed. */
export interface Question {
  readonly people: readonly Person[];
  /** First and last day of the window. */
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
  readonly duration: string;
  readonly step: string;
  /** Null for any time of the day. */
  readonly hours: Hours | null;
  /** Whether working hours are those of each calendar's own zone. */
  readonly hasOwnZones: boolean;
  readonly mode: Mode;
  /** How many members of each group a slot takes, by the group's role. */
  readonly take: Readonly<Record<string, string>>;
  readonly result: 'slots' | 'ranges';
  readonly order: 'startDateTime' | 'rank';
  readonly bufferBefore: string;
  readonly bufferAfter: string;
  readonly notice: string;
  readonly isAllDayBusy: boolean;
  readonly isTentativeBusy: boolean;
}

/** The name of a person in a query, and the zone of their working hours. */
export interface Named {
  readonly name: string;
  readonly timeZone: string | undefined;
}

const DAYS = 7;

/** Returns the question that the page begins with. */
export function newQuestion(today: string, timeZone: string): Question {
  return {
    people: [],
    from: today,
    to: addDays(today, DAYS - 1),
    timeZone,
    duration: '30',
    step: '30',
    hours: { days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '17:00' },
    hasOwnZones: true,
    mode: 'collective',
    take: {},
    result: 'slots',
    order: 'startDateTime',
    bufferBefore: '',
    bufferAfter: '',
    notice: '',
    isAllDayBusy: true,
    isTentativeBusy: true,
  };
}

/** Reads the question of an address; undefined where it has none that can be read. */
export function readQuestion(text: string, base: Question): Question | undefined {
  try {
    const read: Partial<Question> | null = JSON.parse(text);
    return Array.isArray(read?.people) ? { ...base, ...read } : undefined;
  } catch {
    return undefined;
  }
}

const isGroup = (role: Role): boolean => role.startsWith('group-');
const numberOfGroup = (role: Role): number => Number(role.slice('group-'.length));

/** Returns the groups that have members, in the order of their numbers. */
export const groupsOf = ({ people }: Question): readonly Role[] =>
  [...new Set(people.map(({ role }) => role).filter(isGroup))].sort((a, b) => numberOfGroup(a) - numberOfGroup(b));

/** Returns a question of another mode: those who all had to come are its hosts, and the other way round. */
export function withMode(question: Question, mode: Mode): Question {
  const [from, to]: [Role, Role] = mode === 'collective' ? ['host', 'required'] : ['required', 'host'];
  const isSameKind = (mode === 'collective') === (question.mode === 'collective');
  const people = question.people.map((person) => (person.role === from ? { ...person, role: to } : person));
  return { ...question, mode, people: isSameKind ? question.people : people };
}

const numberOf = (text: string | undefined): number | undefined => (text?.trim() ? Number(text) : undefined);
const emptyToUndefined = <Value extends object>(value: Value): Value | undefined =>
  Object.values(value).some((each) => each !== undefined) ? value : undefined;

/** Returns the body of POST /v1/availability. */
export function bodyOf(question: Question, namedOf: (person: Person) => Named): AvailabilityQuery {
  const { hours, mode, result, order } = question;
  const groups = groupsOf(question).map((role) => groupOf(question, role, namedOf));
  return {
    startDateTime: `${question.from}T00:00:00`,
    endDateTime: `${addDays(question.to, 1)}T00:00:00`,
    timeZone: question.timeZone,
    // Without a duration the interface says so, at its field.
    durationMinutes: numberOf(question.duration) as number,
    stepMinutes: numberOf(question.step),
    noticeMinutes: numberOf(question.notice),
    ...(mode === 'collective' ? {} : { mode: 'round-robin', distribution: mode }),
    participants: question.people.map((person) => participantOf(question, person, namedOf(person))),
    ...(groups.length === 0 ? {} : { groups }),
    rules: emptyToUndefined({
      openHours: hours === null ? undefined : [{ ...hours, days: [...hours.days] }],
      bufferBeforeMinutes: numberOf(question.bufferBefore),
      bufferAfterMinutes: numberOf(question.bufferAfter),
    }),
    ...(question.isAllDayBusy ? {} : { isAllDayBusy: false }),
    ...(question.isTentativeBusy ? {} : { isTentativeBusy: false }),
    ...(result === 'slots' ? {} : { result }),
    ...(order === 'startDateTime' || result === 'ranges' ? {} : { orderBy: order }),
  };
}

function participantOf(question: Question, person: Person, { name, timeZone }: Named): AvailabilityParticipant {
  const { accountId, calendarIds, role } = person;
  const isHost = role === 'host';
  return {
    id: name,
    timeZone: question.hasOwnZones && timeZone !== question.timeZone ? timeZone : undefined,
    role: isGroup(role) ? undefined : (role as 'required' | 'optional' | 'host'),
    accounts: [{ endUserAccountId: accountId, calendarIds: calendarIds && [...calendarIds] }],
    weight: isHost ? numberOf(person.weight) : undefined,
    assignments: isHost ? numberOf(person.assignments) : undefined,
  };
}

function groupOf(question: Question, role: Role, namedOf: (person: Person) => Named): AvailabilityGroup {
  const members = question.people.filter((person) => person.role === role).map((person) => namedOf(person).name);
  return { id: role, members, take: numberOf(question.take[role] ?? '1') as number };
}

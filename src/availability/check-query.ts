import { DAY_MS, type Zones } from '../zones/index.ts';
import { AvailabilityError } from './availability-error.ts';
import { type AvailabilityQuery, type ParticipantGroup, WEEKDAYS } from './availability-query.ts';
import { checkParticipant } from './check-participant.ts';
import { checkRules } from './check-rules.ts';
import { checkChoice, checkList, checkSlot, checkWhole, refuseUnless } from './check-values.ts';
import type { Steps } from './steps.ts';

/** Longest window: 366 days of elapsed time. */
const MOST_WINDOW_MS = 366 * DAY_MS;
const MOST_PARTICIPANTS = 500;
const MINUTE_MS = 60_000;

/** Checks everything that the functions of this module rely on. */
export function* checkQuery(query: AvailabilityQuery, zones: Zones): Steps<void> {
  const { window, durationMs, stepMs, timeZone, nowMs, noticeMs, participants, groups, rules } = query;
  checkSlot('window', window);
  refuseUnless(window.endMs > window.startMs, 'window.endMs', 'must be after window.startMs');
  refuseUnless(window.endMs - window.startMs <= MOST_WINDOW_MS, 'window', 'must be at most 366 days long');
  checkWhole('durationMs', durationMs, MINUTE_MS, MOST_WINDOW_MS);
  checkWhole('stepMs', stepMs, MINUTE_MS, DAY_MS);
  checkZone('timeZone', timeZone, zones);
  if (nowMs !== undefined) checkWhole('nowMs', nowMs);
  if (noticeMs !== undefined) {
    checkWhole('noticeMs', noticeMs, 0, MOST_WINDOW_MS);
    refuseUnless(nowMs !== undefined, 'nowMs', 'is needed for noticeMs');
  }
  checkChoice('mode', query.mode, ['collective', 'round-robin']);
  checkChoice('distribution', query.distribution, ['max-availability', 'max-fairness']);
  checkChoice('weekStart', query.weekStart, WEEKDAYS);
  checkChoice('isAllDayBusy', query.isAllDayBusy, [true, false]);
  checkChoice('isTentativeBusy', query.isTentativeBusy, [true, false]);
  if (rules !== undefined) checkRules('rules', rules);
  checkList('participants', participants, MOST_PARTICIPANTS);
  refuseUnless(participants.length > 0, 'participants', 'must name at least one participant');
  for (const [index, participant] of participants.entries()) {
    checkParticipant(`participants[${index}]`, participant);
    checkZone(`participants[${index}].timeZone`, participant.timeZone, zones);
    yield participant.busy.length;
  }
  checkUnique('participants', participants);
  if (groups !== undefined) checkGroups(groups, query);
  checkRoles(query);
}

function checkZone(field: string, timeZone: string, zones: Zones): void {
  const isKnown = typeof timeZone === 'string' && zones.canonicalName(timeZone) !== undefined;
  refuseUnless(isKnown, field, 'must be a time zone, such as Europe/Rome');
}

function checkUnique(field: string, list: readonly { readonly id: string }[]): void {
  const seen = new Set<string>();
  for (const [index, { id }] of list.entries()) {
    refuseUnless(typeof id === 'string' && id !== '', `${field}[${index}].id`, 'must be a text that is not empty');
    refuseUnless(!seen.has(id), `${field}[${index}].id`, `must be unique, and ${id} is there twice`);
    seen.add(id);
  }
}

function checkGroups(groups: readonly ParticipantGroup[], { participants }: AvailabilityQuery): void {
  checkList('groups', groups, MOST_PARTICIPANTS);
  for (const [index, group] of groups.entries())
    refuseUnless(typeof group === 'object' && group !== null, `groups[${index}]`, 'must be a group');
  checkUnique('groups', groups);
  const known = new Map(participants.map(({ id, role }) => [id, role]));
  const groupOf = new Map<string, string>();
  for (const [index, { id, members, take }] of groups.entries()) {
    const field = `groups[${index}]`;
    checkList(`${field}.members`, members, MOST_PARTICIPANTS);
    for (const [place, member] of members.entries()) {
      const path = `${field}.members[${place}]`;
      refuseUnless(known.has(member), path, `must be the id of a participant, and ${member} is none`);
      refuseUnless(known.get(member) === undefined, path, `${member} has a role, which members of groups do not have`);
      const other = groupOf.get(member);
      refuseUnless(other === undefined, path, `${member} is in ${other} already; a participant is in one group only`);
      groupOf.set(member, id);
    }
    checkWhole(`${field}.take`, take, 1, members.length);
  }
}

function checkRoles({ mode = 'collective', distribution, participants, groups = [] }: AvailabilityQuery): void {
  const isRoundRobin = mode === 'round-robin';
  if (distribution !== undefined && !isRoundRobin)
    throw new AvailabilityError('distribution', 'decides between hosts, and needs the mode round-robin');
  for (const [index, { role }] of participants.entries()) {
    const isAllowed = role !== 'host' || isRoundRobin;
    refuseUnless(isAllowed, `participants[${index}].role`, 'must not be host unless the mode is round-robin');
  }
  const grouped = new Set(groups.flatMap(({ members }) => members));
  const roles = participants.flatMap(({ id, role }) =>
    grouped.has(id) ? [] : [role ?? (isRoundRobin ? 'host' : 'required')],
  );
  if (isRoundRobin)
    refuseUnless(roles.includes('host'), 'participants', 'must have a host, as the mode is round-robin');
  else
    refuseUnless(
      roles.includes('required') || groups.length > 0,
      'participants',
      'must not be optional all of them; require one, or a group',
    );
}

import type { ProviderCapabilities } from 'kalends/ports';
import type { Attempt, Fields } from './copy-event.ts';
import type { Wish } from './wishes.ts';

/** Fields beyond the specification that some providers lack. */
const EXTENSIONS = [
  'categories',
  'locationDetails',
  'guestsCanModify',
  'guestsCanInviteOthers',
  'guestsCanSeeOtherGuests',
  'allowNewTimeProposals',
] as const;

/**
 * Returns the fields of a body that a calendar cannot hold, by its capabilities alone: a refusal has to name one of them, and a
 * body without any has to be taken.
 */
export function unholdable(
  { body, slot, series }: Attempt,
  wish: Wish,
  can: ProviderCapabilities,
): ReadonlySet<string> {
  const { colorId, visibility, description, reminders, conferenceData, recurrence } = body;
  const refused = new Set<string>();
  const refuse = (field: string, isRefused: boolean) => {
    if (isRefused) refused.add(field);
  };
  refuse('colorId', colorId != null && can.colorIds !== 'any' && !can.colorIds.includes(String(colorId)));
  refuse('visibility', visibility != null && !can.visibilities.includes(visibility as never));
  const isOwn = slot !== null && visibility != null && visibility !== (series?.['visibility'] ?? 'default');
  refuse('visibility', isOwn && !can.occurrences.ownVisibility);
  refuse('description', String(description ?? '').length > can.descriptionLength);
  refuse('conferenceData', conferenceData != null && !can.meetings.givenByHand);
  refuse('reminders', overridesOf(reminders).length > can.reminders.maxOverrides);
  refuse('recurrence', recurrence != null && !isHoldableRule(recurrence as readonly string[], wish, can));
  refuse('start', slot !== null && slot === wish.crossing && isMoved(body, slot) && !can.occurrences.crossesNeighbours);
  for (const field of EXTENSIONS) refuse(field, isGiven(field, body[field]) && !can.extensions.includes(field));
  for (const field of unholdableState(body, series, can)) refused.add(field);
  return refused;
}

/** Whether the body takes the occurrence days away: every occurrence's zone is less than two days from UTC. */
function isMoved({ start }: Fields, slot: string): boolean {
  const { dateTime } = (start ?? {}) as { readonly dateTime?: string };
  if (dateTime === undefined) return false;
  const days = (Date.parse(dateTime.slice(0, 10)) - Date.parse(slotDay(slot))) / DAY_MS;
  return days > 2;
}

const DAY_MS = 86_400_000;
const slotDay = (slot: string) => `${slot.slice(0, 4)}-${slot.slice(4, 6)}-${slot.slice(6, 8)}`;

/** A value that every event shows without such a field asks for nothing. */
function isGiven(field: (typeof EXTENSIONS)[number], value: unknown): boolean {
  if (value == null) return false;
  if (field === 'guestsCanSeeOtherGuests') return value === false;
  return field !== 'categories' || (value as readonly string[]).length > 0;
}

function overridesOf(reminders: unknown): readonly unknown[] {
  return (reminders as { readonly overrides?: readonly unknown[] } | null | undefined)?.overrides ?? [];
}

function isHoldableRule(
  lines: readonly string[],
  { isPatterned }: Wish,
  { recurrence: { rules, maxCount, maxInterval, rdate, exdate } }: ProviderCapabilities,
): boolean {
  const number = (part: string) => Number(new RegExp(`${part}=(\\d+)`).exec(lines.join(' '))?.[1] ?? 0);
  return (
    (rules === 'any' || isPatterned) &&
    number('COUNT') <= (maxCount ?? Number.POSITIVE_INFINITY) &&
    number('INTERVAL') <= (maxInterval ?? Number.POSITIVE_INFINITY) &&
    (rdate || !lines.some((line) => line.startsWith('RDATE'))) &&
    (exdate || !lines.some((line) => line.startsWith('EXDATE')))
  );
}

/** The fields that say what the person does meanwhile. */
function unholdableState(body: Fields, series: Fields | null, can: ProviderCapabilities): readonly string[] {
  const isNew = series === null;
  const { eventType, showAs, isAllDay, transparency, attendees } = body;
  const ofSeries = series?.['showAs'] === 'oof' ? 'outOfOffice' : series?.['eventType'];
  const wanted = showAs === 'oof' ? 'outOfOffice' : (eventType ?? ofSeries ?? 'default');
  const isHeld = can.eventTypes.includes(wanted as never);
  if (isNew && wanted !== 'default' && !isHeld) return ['eventType', 'showAs'];
  if (!isNew && eventType != null && !can.changesEventType) return ['eventType'];
  if (showAs === 'workingElsewhere' && !can.showAs.includes('workingElsewhere')) return ['showAs'];
  if (!can.bareEventTypes.includes(wanted as never)) return [];
  return [
    ...(isAllDay === true ? ['isAllDay'] : []),
    ...(transparency === 'transparent' || showAs === 'free' ? ['transparency'] : []),
    ...((attendees as readonly unknown[] | undefined)?.length ? ['attendees'] : []),
  ];
}

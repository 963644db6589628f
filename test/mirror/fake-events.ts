import type { EventContent, EventPatch, ProviderEvent, RecurrenceId } from 'kalends/ports';

const BLANK: EventContent = {
  title: '',
  description: '',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  start: { dateTime: '2026-03-02T09:00:00-05:00', timeZone: 'America/New_York' },
  end: { dateTime: '2026-03-02T10:00:00-05:00', timeZone: 'America/New_York' },
  isAllDay: false,
  publicExtendedProperties: {},
  privateExtendedProperties: {},
  recurrence: null,
  attendees: [],
  visibility: 'default',
  location: '',
  webLink: 'https://calendar.example.com/x',
  iCalUid: 'uid@example.com',
  transparency: 'opaque',
  eventType: 'default',
  organizer: { email: 'ann@example.com', isSelf: true },
  creator: { email: 'ann@example.com' },
  status: 'confirmed',
  showAs: 'busy',
  categories: [],
  guestsCanSeeOtherGuests: true,
  hasAttachments: false,
  reminders: { useDefault: true },
};

/** A single event or a master. */
export function fakeEvent(
  id: string,
  content: Partial<EventContent> = {},
  fields: Partial<ProviderEvent> = {},
): ProviderEvent {
  return {
    providerEventId: id,
    providerTag: null,
    seriesId: null,
    recurrenceId: null,
    isCancelled: false,
    isOrganizer: true,
    content: { ...BLANK, title: id, iCalUid: `${id}@example.com`, ...content },
    ...fields,
  };
}

/** An override of one slot. */
export function fakeException(
  id: string,
  seriesId: string,
  recurrenceId: RecurrenceId,
  content: Partial<EventContent> = {},
): ProviderEvent {
  return fakeEvent(id, content, { seriesId, recurrenceId });
}

/** The stub that stays of a cancelled slot. */
export function cancelledSlot(seriesId: string, recurrenceId: RecurrenceId, id: string): ProviderEvent {
  return {
    providerEventId: id,
    providerTag: null,
    seriesId,
    recurrenceId,
    isCancelled: true,
    isOrganizer: true,
    content: null,
  };
}

/** New York time of a day of 2026, as content has it. */
export function newYork(date: string, from: string, to: string, offset = '-05:00') {
  const point = (time: string) => ({ dateTime: `${date}T${time}:00${offset}`, timeZone: 'America/New_York' });
  return { start: point(from), end: point(to) };
}

/** All-day content, the end exclusive. */
export function allDay(from: string, to: string) {
  const point = (date: string) => ({ dateTime: `${date}T00:00:00`, timeZone: '' });
  return { start: point(from), end: point(to), isAllDay: true };
}

/** Applies a patch as a provider does: undefined leaves a field, null clears it. */
export function applyEventPatch(event: ProviderEvent, patch: EventPatch): ProviderEvent {
  const { isCancelled = event.isCancelled, attendees, ...rest } = patch;
  const content: Record<string, unknown> = { ...(event.content ?? BLANK) };
  for (const [field, value] of Object.entries(rest)) {
    if (value === undefined) continue;
    content[field] = value === null ? (BLANK as Readonly<Record<string, unknown>>)[field] : value;
    if (content[field] === undefined) delete content[field];
  }
  if (attendees !== undefined) {
    content['attendees'] = (attendees ?? []).map(({ email, name, responseStatus }, index) => ({
      id: String(index),
      name: name ?? '',
      email,
      responseStatus: responseStatus ?? 'needsAction',
    }));
  }
  return { ...event, isCancelled, content: content as unknown as EventContent };
}

export function slotKey(slot: RecurrenceId): string {
  return slot.kind === 'instant' ? String(slot.startMs) : slot.date;
}

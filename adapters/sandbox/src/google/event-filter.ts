import type { StoredEvent } from './google-state.ts';

/** Free text search: title, description, location, names and addresses of the people, without case. */
export function holdsText(event: StoredEvent, text: string): boolean {
  const wanted = text.toLowerCase();
  const { summary, description, location, attendees } = event.fields;
  const people = (attendees ?? []).flatMap((attendee) => [attendee.email, attendee.displayName]);
  return [summary, description, location, event.organizerEmail, ...people].some(
    (part) => part?.toLowerCase().includes(wanted) ?? false,
  );
}

/** Whether every `name=value` pair is among the properties. */
export function holdsProperties(properties: Record<string, string> | undefined, pairs: readonly string[]): boolean {
  return pairs.every((pair) => {
    const equals = pair.indexOf('=');
    return properties?.[pair.slice(0, equals)] === pair.slice(equals + 1);
  });
}

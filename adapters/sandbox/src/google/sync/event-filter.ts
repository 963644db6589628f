import type { StoredEvent } from '../google-state.ts';

/** Searches title, description, location, and names and addresses of people, without case. */
export function holdsText(event: StoredEvent, text: string): boolean {
  const wanted = text.toLowerCase();
  const { summary, description, location, attendees } = event.fields;
  const people = (attendees ?? []).flatMap((attendee) => [attendee.email, attendee.displayName]);
  return [summary, description, location, event.organizerEmail, ...people].some(
    (part) => part?.toLowerCase().includes(wanted) ?? false,
  );
}

/** Tells whether the properties contain every `name=value` pair. */
export function holdsProperties(properties: Record<string, string> | undefined, pairs: readonly string[]): boolean {
  return pairs.every((pair) => {
    const equals = pair.indexOf('=');
    return properties?.[pair.slice(0, equals)] === pair.slice(equals + 1);
  });
}

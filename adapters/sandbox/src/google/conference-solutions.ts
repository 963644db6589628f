import type { StoredCalendar } from './google-state.ts';

/** What a calendar allows unless a test says otherwise. */
const USUAL = ['hangoutsMeet'];

/** The conference solutions that events of a calendar may ask for. */
export function conferenceSolutionsOf({ conferenceSolutions }: StoredCalendar): readonly string[] {
  return conferenceSolutions ?? USUAL;
}

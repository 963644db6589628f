import type { StoredCalendar } from '../google-state.ts';

/** Conference solutions of a calendar, unless a test sets others. */
const USUAL = ['hangoutsMeet'];

/** Returns the conference solutions that events of a calendar may request. */
export function conferenceSolutionsOf({ conferenceSolutions }: StoredCalendar): readonly string[] {
  return conferenceSolutions ?? USUAL;
}

// The recurrence libraries. Each is asked in one way, or in several, of which the fastest counts: `parse` reads a rule, `compile` answers
// windows and beginnings of a series with instants, and windows with ISO texts.

/** Names of the modules in `libraries`, ours first. */
export const MODULES = ['kalends-recurrence', 'rrule', 'rrule-temporal', 'rrule-rust', 'ical'];

/** Returns `{ name, package, ways }` of a module. Only that library is loaded. */
export const libraryOf = async (module) => (await import(`./libraries/${module}.js`)).library;

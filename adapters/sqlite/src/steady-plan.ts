/** Parameters whose values SQLite's planner looks at. */
const PEEKED = /\b(limit|like) \?/g;

/**
 * Keeps SQLite from planning a statement for the values of its parameters: it would prepare it anew each time that they change, which
 * takes many times as long as to run it. With the sign `+`, which changes no value, it does not look at them.
 * @see https://www.sqlite.org/queryplanner-ng.html (the query planner stability guarantee)
 */
export function withSteadyPlan(text: string): string {
  return text.replace(PEEKED, '$1 +?');
}

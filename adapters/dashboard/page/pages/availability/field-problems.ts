import type { ProblemError } from '../../api/problem.ts';

/** Returns the first rule that a field or a part of it breaks, by its dotted path. */
export function ruleBelow(error: ProblemError | undefined, path: string): string | undefined {
  return error?.details?.find((detail) => detail.path === path || detail.path.startsWith(`${path}.`))?.message;
}

/** Paths of fields that the form has; those below them too. */
const SHOWN = [
  'startDateTime',
  'endDateTime',
  'timeZone',
  'durationMinutes',
  'stepMinutes',
  'noticeMinutes',
  'rules.openHours',
  'rules.bufferBeforeMinutes',
  'rules.bufferAfterMinutes',
  'participants',
  'groups',
];

/** Returns whether the form says all that an error says. */
export function isShownAtFields({ details = [] }: ProblemError): boolean {
  const isShown = (path: string) => SHOWN.some((field) => path === field || path.startsWith(`${field}.`));
  return details.length > 0 && details.every(({ path }) => isShown(path));
}

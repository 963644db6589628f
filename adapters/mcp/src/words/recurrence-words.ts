import { describeRecurrence } from 'kalends/describe';
import { RecurrenceError } from 'kalends/recurrence';
import { resolveZone } from 'kalends/zones';
import { quotedName } from './quoted.ts';

/** Returns the recurrence of a series in words: `every week on Tuesday`. */
export function recurrenceWords(lines: readonly string[]): string {
  try {
    const words = describeRecurrence(lines);
    // A zone's name is the only text of the lines that reaches the words.
    return lines.every(hasKnownZone) ? words : quotedName(words);
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    return `by a rule that has no words here: ${quotedName(lines.join(' '))}`;
  }
}

function hasKnownZone(line: string): boolean {
  const at = line.toUpperCase().indexOf('TZID=');
  if (at < 0) return true;
  const [name = ''] = line.slice(at + 'TZID='.length).split(/[;:]/);
  return resolveZone(name) !== undefined;
}

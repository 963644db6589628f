import { spawn } from 'node:child_process';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('expand.py', import.meta.url));

/** An occurrence as another library sees it: a date, or an instant in UTC. */
export interface ForeignOccurrence {
  readonly uid: string;
  readonly title: string;
  readonly start: string;
  readonly end: string;
}

/**
 * Expands the objects of a calendar with Python's `icalendar` and `recurring-ical-events`: what overlaps the window and is not
 * cancelled, by start and title. Instants of the window as `YYYYMMDDTHHMMSSZ`.
 * @throws Error with what Python says of an object that it cannot read
 */
export async function expandElsewhere(asked: {
  readonly texts: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}): Promise<readonly ForeignOccurrence[]> {
  // The interpreter of the system has the packages, whichever other comes first on the path.
  const child = spawn('/usr/bin/python3', [PROGRAM], { stdio: 'pipe' });
  child.stdin.end(JSON.stringify(asked));
  const failure = text(child.stderr);
  try {
    return (await json(child.stdout)) as readonly ForeignOccurrence[];
  } catch (cause) {
    throw new Error(`Python: ${await failure}`, { cause });
  }
}

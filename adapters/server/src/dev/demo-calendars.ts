import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ControlError, type DemoMailboxes, importIcs, type Sandbox } from '@kalends/sandbox';
import { CommandError } from '../command-error.ts';
import type { DevState } from './dev-state.ts';

export interface CalendarFiles {
  readonly google: readonly string[];
  readonly microsoft: readonly string[];
}

/**
 * Loads calendar files into the demo's mailboxes, each file once, however often the server starts.
 * @throws CommandError naming a file that cannot be read or is not a calendar
 */
export function loadCalendars(
  sandbox: Sandbox,
  mailboxes: DemoMailboxes,
  state: DevState,
  files: CalendarFiles,
  note: (text: string) => void,
): DevState {
  const loaded = new Set(state.loaded);
  for (const provider of ['google', 'microsoft'] as const) {
    for (const path of files[provider]) {
      const text = readCalendarFile(path);
      const mark = `${createHash('sha256').update(text).digest('hex')}:${provider}`;
      if (loaded.has(mark)) {
        note(`${path}: already loaded by an earlier start.`);
        continue;
      }
      const email = mailboxes[provider];
      const { calendars, problems } = importFile(sandbox, provider, email, path, text);
      for (const { name, events } of calendars) {
        note(`${path}: ${events} events loaded as calendar "${name}" of ${email}.`);
      }
      for (const problem of problems) note(`${path}: ${problem}`);
      loaded.add(mark);
    }
  }
  return { ...state, loaded: [...loaded] };
}

function readCalendarFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandError(`cannot read ${path}: ${(error as Error).message}`, 1);
  }
}

function importFile(sandbox: Sandbox, provider: 'google' | 'microsoft', email: string, path: string, text: string) {
  try {
    return importIcs(sandbox[provider], { email, text, fallbackName: basename(path, '.ics') });
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw new CommandError(`${path}: ${error.message}`, 1);
  }
}

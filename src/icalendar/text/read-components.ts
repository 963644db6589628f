import type { IcsComponent } from './component.ts';
import { createComponentAssembler } from './component-assembler.ts';
import { lineEndsOf } from './line-ends.ts';

/** The components of a text, and a sentence for each line that was left out. */
export interface ComponentReading {
  readonly components: readonly IcsComponent[];
  /** Number of the unfolded line and rule; never a value. */
  readonly problems: readonly string[];
}

/** Most problems told of one text: a broken one may have as many as it has lines. */
export const MOST_PROBLEMS = 100;

/**
 * Reads the components of an iCalendar text. A line that cannot be read costs itself alone; components that are never closed end with
 * the text. Linear in the text.
 * @throws ICalendarError for a text that is nested too deep or has too many lines in one component
 */
export function readComponents(text: string): ComponentReading {
  const components: IcsComponent[] = [];
  const problems: string[] = [];
  const assembler = createComponentAssembler({
    ended: (component, depth) => {
      if (depth === 0) components.push(component);
      return depth > 0;
    },
    unreadable: (lineNumber, rule) => {
      if (problems.length < MOST_PROBLEMS) problems.push(`line ${lineNumber}: ${rule}`);
    },
  });
  for (const line of unfold(text).split('\n')) assembler.add(line);
  assembler.finish();
  return { components, problems };
}

/** RFC 5545 §3.1: a line that begins with white space continues the one before it. Some texts begin with white space themselves. */
function unfold(text: string): string {
  return text
    .replace(/^[\uFEFF\s]+/, '')
    .replaceAll('\0', '')
    .replaceAll(lineEndsOf(text) ?? '\n', '\n')
    .replaceAll(/\n[ \t]/g, '');
}

import type { IcsComponent } from './component.ts';
import { createComponentAssembler } from './component-assembler.ts';
import { createLineUnfolder } from './line-unfolder.ts';
import { allAtOnce, type Steps } from './steps.ts';

/** The components of a text, and a sentence for each line that could not be read. */
export interface ComponentReading {
  readonly components: readonly IcsComponent[];
  /** Number of the unfolded line and rule; never a value. */
  readonly problems: readonly string[];
}

/** Most problems told of one text: a broken one may have as many as it has lines. */
export const MOST_PROBLEMS = 100;
/** Characters read in one step. */
const STEP_LENGTH = 32_768;

/**
 * Reads the components of an iCalendar text. A line that cannot be read costs itself alone; components that are never closed end with
 * the text. Linear in the text.
 * @throws ICalendarError for a text that is nested too deep or has too many lines in one component
 */
export function readComponents(text: string): ComponentReading {
  return allAtOnce(readComponentsInSteps(text));
}

/** Reads the same in steps. */
export function* readComponentsInSteps(text: string): Steps<ComponentReading> {
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
  const unfolder = createLineUnfolder();
  for (let at = 0; at < text.length; at += STEP_LENGTH) {
    for (const line of unfolder.add(text.slice(at, at + STEP_LENGTH))) assembler.add(line);
    yield;
  }
  for (const line of unfolder.end()) assembler.add(line);
  assembler.finish();
  return { components, problems };
}

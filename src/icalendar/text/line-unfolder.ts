import { ICalendarError } from '../icalendar-error.ts';
import { lineEndsOf } from './line-ends.ts';

/** Unfolds the lines of a text that comes in parts: a line that begins with white space continues the one before it (RFC 5545 §3.1). */
export interface LineUnfolder {
  /** Takes the next part of the text; returns the lines that end in it. */
  add(part: string): readonly string[];
  /** Returns the lines that end with the text. */
  end(): readonly string[];
}

/**
 * Creates an unfolder. White space before the first line is no part of it, and NUL is left out.
 * @param longest Most characters of one unfolded line. @default no limit
 */
export function createLineUnfolder(longest = Number.POSITIVE_INFINITY): LineUnfolder {
  /** Carriage returns may have their line feed in the next part; one stands for all of them. */
  let held = '';
  /** The physical line that has not ended. Parts are added without a look at it: one line may be the whole text. */
  let rest = '';
  let line: string | undefined;
  let ends: RegExp | undefined;
  let hasBegun = false;

  function unfold(physicalLines: readonly string[]): readonly string[] {
    const lines: string[] = [];
    for (const physical of physicalLines) {
      if (line === undefined) {
        const start = physical.replace(/^[\uFEFF\s]+/, '');
        if (start !== '') line = start;
      } else if (/^[ \t]/.test(physical)) {
        line += physical.slice(1);
        requireBounded(line);
      } else {
        lines.push(line);
        line = physical;
      }
    }
    return lines;
  }

  function requireBounded({ length }: string): void {
    if (length > longest) throw new ICalendarError('line', `a line may have ${longest} characters at most`);
  }

  return {
    add(part) {
      const text = held + part.replaceAll('\0', '');
      let end = text.length;
      while (text[end - 1] === '\r') end -= 1;
      held = end === text.length ? '' : '\r';
      ends ??= lineEndsOf(hasBegun ? `.${text}` : text);
      hasBegun ||= text.trim() !== '';
      const [first = '', ...lines] = text.slice(0, end).split(ends ?? '\n');
      lines.unshift(rest + first);
      rest = lines.pop() ?? '';
      requireBounded(rest);
      return unfold(lines);
    },
    end() {
      const lines = unfold(held === '' ? [rest] : [rest, '']);
      return line === undefined ? lines : [...lines, line];
    },
  };
}

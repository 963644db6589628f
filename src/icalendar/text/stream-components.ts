import { ICalendarError } from '../icalendar-error.ts';
import type { IcsComponent } from './component.ts';
import { createComponentAssembler } from './component-assembler.ts';
import { charsetOf, wrongCharset } from './decode-text.ts';
import { lineEndsOf } from './line-ends.ts';

/** Most characters of one component, and of one line. */
const LONGEST = 4_000_000;

/** A component directly within a calendar, or a calendar that has ended, with its own properties alone. */
export interface StreamedComponent {
  readonly component: IcsComponent;
  readonly isCalendar: boolean;
}

/**
 * Reads the components of an iCalendar file part by part, as `readComponents` reads a text: memory is that of one component.
 * @param unreadable is told of each line that is passed over
 * @throws ICalendarError as `readComponents` and `decodeText` do, and for a component that is too long
 */
export async function* streamComponents(
  parts: AsyncIterable<Uint8Array>,
  unreadable: (lineNumber: number, rule: string) => void,
): AsyncGenerator<StreamedComponent, void, undefined> {
  let ended: StreamedComponent[] = [];
  let held = 0;
  const assembler = createComponentAssembler({
    ended(component, depth) {
      // Calendars stand at the top; what stands in them is handed on at once.
      if (depth > 1) return true;
      ended.push({ component, isCalendar: depth === 0 && component.name === 'VCALENDAR' });
      held = 0;
      return false;
    },
    unreadable,
  });
  for await (const line of unfoldedLines(decoded(parts))) {
    held += line.length;
    if (held > LONGEST) throw new ICalendarError('BEGIN', `a component may have ${LONGEST} characters at most`);
    assembler.add(line);
    yield* ended;
    ended = [];
  }
  assembler.finish();
  yield* ended;
}

async function* decoded(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let head = new Uint8Array();
  try {
    for await (const part of parts) {
      if (decoder !== undefined) {
        yield decoder.decode(part, { stream: true });
        continue;
      }
      // The mark of the byte order may come in two parts.
      head = Uint8Array.from([...head, ...part.subarray(0, 2)]);
      if (head.length < 2) continue;
      const first = Buffer.concat([head.subarray(0, Math.max(0, head.length - Math.min(part.length, 2))), part]);
      decoder = new TextDecoder(charsetOf(head), { fatal: true });
      yield decoder.decode(first, { stream: true });
    }
    yield decoder === undefined ? new TextDecoder('utf-8', { fatal: true }).decode(head) : decoder.decode();
  } catch (error) {
    throw error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
      ? wrongCharset()
      : error;
  }
}

/** Yields unfolded lines (RFC 5545 §3.1). White space before the first is no part of it. */
async function* unfoldedLines(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = '';
  let line: string | undefined;
  let ends: RegExp | undefined;
  const add = (physical: string): string | undefined => {
    if (line === undefined) {
      const start = physical.replace(/^[\uFEFF\s]+/, '');
      if (start !== '') line = start;
      return undefined;
    }
    if (/^[ \t]/.test(physical)) {
      line += physical.slice(1);
      requireBounded(line);
      return undefined;
    }
    const whole = line;
    line = physical;
    return whole;
  };
  for await (const text of texts) {
    const whole = rest + text;
    // A carriage return at the end may have its line feed in the next part.
    const isSplit = whole.endsWith('\r');
    ends ??= lineEndsOf(whole);
    const lines = (isSplit ? whole.slice(0, -1) : whole).replaceAll('\0', '').split(ends ?? '\n');
    rest = (lines.pop() ?? '') + (isSplit ? '\r' : '');
    requireBounded(rest);
    for (const physical of lines) {
      const done = add(physical);
      if (done !== undefined) yield done;
    }
  }
  for (const physical of rest.split('\r')) {
    const done = add(physical);
    if (done !== undefined) yield done;
  }
  if (line !== undefined) yield line;
}

function requireBounded(line: string): void {
  if (line.length > LONGEST) throw new ICalendarError('line', `a line may have ${LONGEST} characters at most`);
}

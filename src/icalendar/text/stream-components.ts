import { ICalendarError } from '../icalendar-error.ts';
import type { IcsComponent } from './component.ts';
import { createComponentAssembler } from './component-assembler.ts';
import { charsetOf, wrongCharset } from './decode-text.ts';
import { createFoldMender } from './fold-mender.ts';
import { createLineUnfolder } from './line-unfolder.ts';

/** Most characters of one component, and of one line. */
const LONGEST = 4_000_000;

/** A component directly within a calendar, or a calendar that has ended, with its own properties alone. */
export interface StreamedComponent {
  readonly component: IcsComponent;
  readonly isCalendar: boolean;
  /** Whether the file ended before the component did. */
  readonly isCut: boolean;
}

/**
 * Reads the components of an iCalendar file part by part, as `readComponents` reads a text: memory is that of one component.
 * @param unreadable is told of each line that cannot be read
 * @throws ICalendarError as `readComponents` and `decodeText` do, and for a component that is too long
 */
export async function* streamComponents(
  parts: AsyncIterable<Uint8Array>,
  unreadable: (lineNumber: number, rule: string) => void,
): AsyncGenerator<StreamedComponent, void, undefined> {
  let ended: StreamedComponent[] = [];
  let held = 0;
  let isCut = false;
  const assembler = createComponentAssembler({
    ended(component, depth) {
      // Calendars stand at the top; what stands in them is handed on at once.
      if (depth > 1) return true;
      ended.push({ component, isCalendar: depth === 0 && component.name === 'VCALENDAR', isCut });
      held = 0;
      return false;
    },
    unreadable,
  });
  function* assembled(lines: readonly string[]): Generator<StreamedComponent, void, undefined> {
    for (const line of lines) {
      held += line.length;
      if (held > LONGEST) throw new ICalendarError('BEGIN', `a component may have ${LONGEST} characters at most`);
      assembler.add(line);
      yield* ended;
      ended = [];
    }
  }
  const unfolder = createLineUnfolder(LONGEST);
  for await (const text of decoded(parts)) yield* assembled(unfolder.add(text));
  yield* assembled(unfolder.end());
  isCut = true;
  assembler.finish();
  yield* ended;
}

async function* decoded(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let decoder: ReturnType<typeof createDecoder> | undefined;
  let head: Uint8Array = new Uint8Array();
  try {
    for await (const part of parts) {
      if (decoder !== undefined) {
        yield decoder.add(part);
        continue;
      }
      // The bytes that tell the charset may come in several parts.
      head = head.length === 0 ? part : Buffer.concat([head, part]);
      if (head.length < 4) continue;
      decoder = createDecoder(charsetOf(head));
      yield decoder.add(head);
    }
    if (decoder === undefined) {
      decoder = createDecoder(charsetOf(head));
      yield decoder.add(head);
    }
    yield decoder.end();
  } catch (error) {
    throw error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
      ? wrongCharset()
      : error;
  }
}

function createDecoder(charset: string) {
  const decoder = new TextDecoder(charset, { fatal: true });
  const mender = charset === 'utf-8' ? createFoldMender() : undefined;
  return {
    add: (part: Uint8Array) => decoder.decode(mender === undefined ? part : mender.add(part), { stream: true }),
    end: () => decoder.decode(mender?.end()),
  };
}

import { KalendsError } from '../errors.ts';
import { ICalendarError, streamComponents, uidOf } from '../icalendar/index.ts';
import { contentHash } from '../mirror/index.ts';
import type { ImportItem, ImportProblem } from '../ports/index.ts';
import { nextTurn } from '../runtime/index.ts';
import { createFrameGatherer } from './calendar-frames.ts';

/** Largest file, in bytes. */
export const MOST_BYTES = 100_000_000;
const BYTES_PER_TURN = 65_536;
/** Most VEVENT components of a file. */
export const MOST_COMPONENTS = 100_000;
/** Characters that are written at once. */
const BATCH_LENGTH = 500_000;
/** Time zones and properties of a file's calendars, in characters. */
const FRAME_LENGTH = 1_000_000;
const MOST_PROBLEMS = 100;
/** UIDs are shown cut to so many characters. */
const SHOWN_UID = 255;

/** The rest of a file beside its events. */
export interface ReceivedFile {
  readonly frame: string;
  readonly problems: readonly ImportProblem[];
}

/**
 * Reads a file and hands its events on in batches: memory is that of one batch.
 * @throws KalendsError InvalidRequest naming the rule of iCalendar, PayloadTooLarge
 */
export async function receiveFile(
  file: AsyncIterable<Uint8Array>,
  add: (items: readonly ImportItem[]) => Promise<void>,
): Promise<ReceivedFile> {
  const problems: ImportProblem[] = [];
  const batch = createBatch(add);
  const frames = createFrameGatherer(boundedLength());
  const unreadable = (lineNumber: number, rule: string) => {
    if (problems.length < MOST_PROBLEMS) problems.push({ field: `line ${lineNumber}`, rule });
  };
  let components = 0;
  let hasCalendar = false;
  try {
    for await (const { component, isCalendar, isCut } of streamComponents(bounded(file), unreadable)) {
      // Events that an earlier import created would lose what is missing.
      if (isCut) throw new ICalendarError('END', 'the file is cut off: a component in it does not end');
      if (isCalendar) {
        hasCalendar = true;
        frames.endCalendar(component);
      } else if (component.name === 'VTIMEZONE') {
        frames.addZone(component);
      } else if (component.name === 'VEVENT') {
        components += 1;
        if (components > MOST_COMPONENTS) throw tooLarge(`the file must have ${MOST_COMPONENTS} events at most`);
        await batch.add(uidOf(component), frames.textOf(component));
      }
    }
  } catch (error) {
    throw error instanceof ICalendarError ? invalidFile(error) : error;
  }
  await batch.flush();
  if (!hasCalendar) throw invalidFile(new ICalendarError('BEGIN', 'the text has no VCALENDAR'));
  return { frame: frames.text(), problems };
}

function createBatch(add: (items: readonly ImportItem[]) => Promise<void>) {
  let items = new Map<string, ImportItem>();
  let length = 0;
  const flush = async () => {
    if (items.size > 0) await add([...items.values()]);
    items = new Map();
    length = 0;
  };
  return {
    flush,
    async add(uid: string, text: string) {
      const uidKey = contentHash(uid);
      const known = items.get(uidKey);
      items.set(uidKey, { uidKey, uid: uid.slice(0, SHOWN_UID), components: (known?.components ?? '') + text });
      length += text.length;
      if (length >= BATCH_LENGTH) await flush();
    },
  };
}

/** Returns a function that adds lengths up and refuses too many characters. */
function boundedLength(): (added: number) => void {
  let length = 0;
  return (added) => {
    length += added;
    if (length > FRAME_LENGTH) throw tooLarge(`time zones and properties must have ${FRAME_LENGTH} characters at most`);
  };
}

/** Yields a bounded file in small parts, each in its own turn of the event loop: reading one takes some milliseconds. */
async function* bounded(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  let sinceTurn = 0;
  for await (const part of file) {
    bytes += part.length;
    if (bytes > MOST_BYTES) throw tooLarge(`the file must have ${MOST_BYTES} bytes at most`);
    for (let at = 0; at < part.length; at += BYTES_PER_TURN) {
      const piece = part.subarray(at, at + BYTES_PER_TURN);
      yield piece;
      sinceTurn += piece.length;
      if (sinceTurn < BYTES_PER_TURN) continue;
      sinceTurn = 0;
      await nextTurn();
    }
  }
}

function tooLarge(message: string): KalendsError {
  return new KalendsError('PayloadTooLarge', message);
}

function invalidFile({ message, field }: ICalendarError): KalendsError {
  const rule = message.slice(field.length + 2);
  return new KalendsError('InvalidRequest', message, { details: [{ path: field, message: rule }] });
}

import { shownJson } from '../../mirror/index.ts';
import type { CalendarEvent, DeletedEvent } from '../../model/index.ts';
import { createYieldToEventLoop } from '../../runtime/index.ts';
import { presentDeletion, presentEvent } from '../read/event-presenter.ts';
import type { RecordChange } from './sync-page.ts';
import type { TextBytes } from './text-bytes.ts';

/** Cost of presenting and serializing a record, in steps, and the characters serialized in one. */
const PRINTED = { perRecord: 10, characters: 500 };
/** The same of a record that is cut out of the stored text. */
const CUT = { perRecord: 2, characters: 2_000 };

/** Returns the records of a page as the interface shows them, yielding to the event loop. */
export async function presentRecords(
  records: readonly RecordChange[],
  displayZone: string | undefined,
  lane: string,
): Promise<readonly (CalendarEvent | DeletedEvent)[]> {
  const yieldToEventLoop = createYieldToEventLoop(lane);
  const shown: (CalendarEvent | DeletedEvent)[] = [];
  for (const record of records) {
    shown.push(presentRecord(record, displayZone));
    const pause = yieldToEventLoop(PRINTED.perRecord);
    if (pause !== undefined) await pause;
  }
  return shown;
}

/** Writes the same as a JSON array. The length of the text counts as steps, because a description may be long. */
export async function writeRecords(
  bytes: TextBytes,
  records: readonly RecordChange[],
  displayZone: string | undefined,
  lane: string,
): Promise<void> {
  const yieldToEventLoop = createYieldToEventLoop(lane);
  let separator = '[';
  for (const record of records) {
    const cut = record.kind === 'present' && record.record.kind === 'stored' ? record.record.shown : undefined;
    const text = cut === undefined ? JSON.stringify(presentRecord(record, displayZone)) : shownJson(cut, displayZone);
    bytes.write(separator + text);
    separator = ',';
    const steps = cut === undefined ? PRINTED : CUT;
    const pause = yieldToEventLoop(steps.perRecord + text.length / steps.characters);
    if (pause !== undefined) await pause;
  }
  bytes.write(records.length === 0 ? '[]' : ']');
}

/** Returns a record of a list or a sync result as the interface shows it. */
export function presentRecord(
  { kind, record }: RecordChange,
  displayZone: string | undefined,
): CalendarEvent | DeletedEvent {
  return kind === 'present' ? presentEvent(record, displayZone) : presentDeletion(record, displayZone);
}

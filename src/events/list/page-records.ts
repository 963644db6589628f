import type { CalendarEvent, DeletedEvent } from '../../model/index.ts';
import { createYieldToEventLoop } from '../../runtime/index.ts';
import { presentDeletion, presentEvent } from '../read/event-presenter.ts';
import type { RecordChange } from './sync-page.ts';

/** Cost of presenting and serializing a record, in steps. */
const STEPS_PER_RECORD = 10;
/** Characters serialized in one step. */
const CHARACTERS_PER_STEP = 500;

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
    const pause = yieldToEventLoop(STEPS_PER_RECORD);
    if (pause !== undefined) await pause;
  }
  return shown;
}

/** Returns the same as a JSON array. The length of the text counts as steps, because a description may be long. */
export async function serializeRecords(
  records: readonly RecordChange[],
  displayZone: string | undefined,
  lane: string,
): Promise<string> {
  const yieldToEventLoop = createYieldToEventLoop(lane);
  let json = '';
  for (const record of records) {
    const text = JSON.stringify(presentRecord(record, displayZone));
    json += json === '' ? text : `,${text}`;
    const pause = yieldToEventLoop(STEPS_PER_RECORD + text.length / CHARACTERS_PER_STEP);
    if (pause !== undefined) await pause;
  }
  return `[${json}]`;
}

/** Returns a record of a list or a sync result as the interface shows it. */
export function presentRecord(
  { kind, record }: RecordChange,
  displayZone: string | undefined,
): CalendarEvent | DeletedEvent {
  return kind === 'present' ? presentEvent(record, displayZone) : presentDeletion(record, displayZone);
}

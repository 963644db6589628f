import type { CalendarEvent, DeletedEvent } from '../model/index.ts';
import { createBreather } from '../sync/breathe.ts';
import { presentDeletion, presentEvent } from './event-presenter.ts';
import type { MemberChange } from './sync-page.ts';

/** Presenting a record, and printing it, cost about as much as so many steps. */
const STEPS_PER_RECORD = 10;
/** Characters that are printed in one step. */
const CHARACTERS_PER_STEP = 500;

/** The records of a page as the interface shows them; others get their turns meanwhile. */
export async function presentRecords(
  records: readonly MemberChange[],
  displayZone: string | undefined,
  lane: string,
): Promise<readonly (CalendarEvent | DeletedEvent)[]> {
  const breathe = createBreather(lane);
  const shown: (CalendarEvent | DeletedEvent)[] = [];
  for (const record of records) {
    shown.push(present(record, displayZone));
    const pause = breathe(STEPS_PER_RECORD);
    if (pause !== undefined) await pause;
  }
  return shown;
}

/** The same as a JSON array. A description may be long: what is printed counts too. */
export async function printRecords(
  records: readonly MemberChange[],
  displayZone: string | undefined,
  lane: string,
): Promise<string> {
  const breathe = createBreather(lane);
  let json = '';
  for (const record of records) {
    const text = JSON.stringify(present(record, displayZone));
    json += json === '' ? text : `,${text}`;
    const pause = breathe(STEPS_PER_RECORD + text.length / CHARACTERS_PER_STEP);
    if (pause !== undefined) await pause;
  }
  return `[${json}]`;
}

function present({ kind, member }: MemberChange, displayZone: string | undefined): CalendarEvent | DeletedEvent {
  return kind === 'present' ? presentEvent(member, displayZone) : presentDeletion(member, displayZone);
}

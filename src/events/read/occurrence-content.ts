import { type EventContent, EXPRESSIBLE } from '../../ports/index.ts';
import type { Occurrence } from '../../recurrence/index.ts';
import { formatInstant, formatWall, resolveZone } from '../../zones/index.ts';
import type { MasterItem } from './event-group.ts';

const DAY_MS = 86_400_000;
const LAST_DAY_MS = Math.floor(EXPRESSIBLE.lastMs / DAY_MS) * DAY_MS;

/** Returns the content of an occurrence: its master's at the slot. An end beyond the year 9999 is the last that can be shown. */
export function occurrenceContent(master: Pick<MasterItem, 'content' | 'compiled'>, slot: Occurrence): EventContent {
  const { content, compiled } = master;
  const { startMs } = slot;
  const endMs = Math.min(compiled.endOf(slot), compiled.isAllDay ? LAST_DAY_MS : EXPRESSIBLE.lastMs);
  const point = (ms: number, timeZone: string) => ({
    dateTime: compiled.isAllDay ? formatWall(ms) : formatInstant(resolveZone(timeZone) ?? 'UTC', ms),
    timeZone,
  });
  return {
    ...content,
    start: point(startMs, content.start.timeZone),
    end: point(endMs, content.end.timeZone),
    recurrence: null,
  };
}

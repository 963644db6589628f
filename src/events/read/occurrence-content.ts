import type { EventContent } from '../../ports/index.ts';
import type { Occurrence } from '../../recurrence/index.ts';
import { formatInstant, formatWall, resolveZone } from '../../zones/index.ts';
import type { MasterItem } from './event-group.ts';

/** Returns the content of an occurrence: its master's at the slot. */
export function occurrenceContent(master: Pick<MasterItem, 'content' | 'compiled'>, slot: Occurrence): EventContent {
  const { content, compiled } = master;
  const { startMs } = slot;
  const endMs = compiled.endOf(slot);
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

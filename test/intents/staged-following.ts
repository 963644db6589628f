import type { CalendarEvent } from 'kalends/model';
import type { Lines } from '../simulation/provider-acts.ts';
import type { CrashStage, StagedWrite } from './crash-stage.ts';

const TITLE = 'ours';

/** A new title for an occurrence and all later ones: the series is split. Dies at the insert or at the cut. */
export async function stageFollowing(stage: CrashStage): Promise<StagedWrite> {
  const { world, dice, caller, calendarId, engine, events } = stage;
  const series = dice.pick(events.filter(({ isRecurring }) => isRecurring));
  const { accountId } = world;
  const page = await world.time.until(
    engine.events.listOccurrences(caller, accountId, calendarId, series.id, {
      startDateTime: '2026-01-01T00:00:00Z',
      endDateTime: '2026-12-31T00:00:00Z',
      orderBy: 'startDateTime',
    }),
  );
  const occurrences = page.data as readonly CalendarEvent[];
  const isSplit = occurrences.length > 1;
  const named = isSplit ? dice.pick(occurrences.slice(1)) : occurrences[0]!;
  const from = slotOf(named);
  const retitled = (line: string): string => {
    const [id, slot, title, ...times] = line.split(SEPARATOR);
    const isMeant = id === series.id && slot! >= from && (slot === from || title === series.title);
    return [id, slot, isMeant ? TITLE : title, ...times].join(SEPARATOR);
  };
  return {
    carriedOutBy: isSplit && dice.chance(0.5) ? 'POST' : 'PATCH',
    isRepeated: false,
    isCompleted: true,
    send: (process) =>
      process.events.update(caller, accountId, calendarId, named.id, { title: TITLE }, { scope: 'following' }),
    judge(before, after) {
      const now = told(after);
      const wanted = told(before.map(retitled));
      if (now === told(before) || now === wanted) return undefined;
      return `neither as it was nor as it was to be:\n${now}\n--- wanted:\n${wanted}`;
    },
  };
}

const SEPARATOR = ' | ';

/** Title and times of each line: the later half has ids of its own. */
function told(lines: Lines): string {
  const parts = lines.map((line) => line.split(SEPARATOR).slice(2).join(SEPARATOR));
  return parts.sort().join('\n');
}

function slotOf({ originalStart }: CalendarEvent): string {
  if (originalStart === undefined) throw new Error('an occurrence has an original start');
  return 'date' in originalStart ? originalStart.date : new Date(originalStart.dateTime).toISOString();
}

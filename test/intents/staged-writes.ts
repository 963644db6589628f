import type { CalendarEvent } from 'kalends/model';
import type { Lines } from '../simulation/provider-acts.ts';
import type { CrashStage, StagedWrite } from './crash-stage.ts';

const TITLE = 'ours';

/** Lines as text without the id in front. */
const withTitle = (lines: Lines, title: string) => lines.filter((line) => line.includes(title));

/** A create with an Idempotency-Key, of a single event or of a series, now and then with an exclusion. */
export async function stageCreate({ world, dice, caller, calendarId }: CrashStage): Promise<StagedWrite> {
  const { accountId } = world;
  const isSeries = dice.chance(0.5);
  const excludes = isSeries && dice.chance(0.4);
  const start = { dateTime: '2026-03-05T10:00:00', timeZone: 'Europe/Berlin' };
  const recurrence = ['RRULE:FREQ=DAILY;COUNT=4', ...(excludes ? ['EXDATE;TZID=Europe/Berlin:20260306T100000'] : [])];
  const body = { title: TITLE, start, ...(isSeries ? { recurrence } : {}) };
  const isRepeated = dice.chance(0.6);
  const whole = isSeries ? (excludes ? 3 : 4) : 1;
  return {
    carriedOutBy: 'POST',
    isRepeated,
    send: (engine) => engine.events.create(caller, accountId, calendarId, body, { idempotencyKey: 'key' }),
    judge(before, after, isDone) {
      const made = withTitle(after, TITLE).length;
      if (after.length - made !== before.length) return 'something else has changed';
      if (made === whole || (made === 0 && !isDone)) return undefined;
      // Graph takes exclusions as deletions of their own; no answer has named the series yet.
      if (excludes && !isDone && made === 4) return undefined;
      return `${made} occurrences were made, not ${whole}`;
    },
  };
}

function pickTarget({ dice, events }: CrashStage): { readonly event: CalendarEvent; readonly id: string } {
  const event = dice.pick(events.filter(({ isCancelled }) => !isCancelled));
  return { event, id: event.id };
}

/** A new title for a single event, a series or one occurrence. */
export async function stageUpdate(stage: CrashStage): Promise<StagedWrite> {
  const { world, dice, caller, calendarId } = stage;
  const { event } = pickTarget(stage);
  const ids = await targetsOf(stage, event);
  const id = dice.pick(ids);
  const isRepeated = dice.chance(0.5);
  return {
    carriedOutBy: 'PATCH',
    isRepeated,
    send: (engine) => engine.events.update(caller, world.accountId, calendarId, id, { title: TITLE }),
    judge(before, after, isDone) {
      if (after.length !== before.length) return 'something has come or gone';
      const changed = withTitle(after, TITLE).length;
      if (changed === 0) return isDone ? 'an acknowledged update is lost' : undefined;
      const untouched = after.filter((line) => !line.includes(TITLE));
      if (!untouched.every((line) => before.includes(line))) return 'something else has changed';
      if (id !== event.id) return changed === 1 ? undefined : `${changed} occurrences were changed`;
      const own = withTitle(before, event.title).filter((line) => line.includes(event.id)).length;
      // Some providers keep an exception's own fields.
      return changed >= own ? undefined : `${changed} of ${own} occurrences were changed`;
    },
  };
}

/** Removes a single event, a series or one occurrence. */
export async function stageDelete(stage: CrashStage): Promise<StagedWrite> {
  const { world, dice, caller, calendarId } = stage;
  const { event } = pickTarget(stage);
  const id = dice.pick(await targetsOf(stage, event));
  const isRepeated = dice.chance(0.5);
  return {
    carriedOutBy: 'DELETE',
    isRepeated,
    // A repeated deletion that was carried out answers not-found.
    send: (engine) =>
      engine.events.delete(caller, world.accountId, calendarId, id).catch((error) => {
        if (error.code !== 'NotFound') throw error;
      }),
    judge(before, after, isDone) {
      if (!after.every((line) => before.includes(line))) return 'something else has changed';
      const gone = before.length - after.length;
      if (gone === 0) return isDone ? 'an acknowledged deletion is lost' : undefined;
      const own = id === event.id ? before.filter((line) => line.includes(event.id)).length : 1;
      return gone === own ? undefined : `${gone} occurrences are gone, not ${own}`;
    },
  };
}

/** An event's own id, and of a series those of its occurrences that are no exceptions. */
async function targetsOf({ world, caller, calendarId, engine }: CrashStage, event: CalendarEvent) {
  if (!event.isRecurring) return [event.id];
  const page = await world.time.until(
    engine.events.listOccurrences(caller, world.accountId, calendarId, event.id, {
      startDateTime: '2026-01-01T00:00:00Z',
      endDateTime: '2026-12-31T00:00:00Z',
    }),
  );
  return [event.id, ...page.data.map(({ id }) => id)];
}

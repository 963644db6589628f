import type { ContinuedSeries, NewEvent } from 'kalends/ports';
import { markup } from './description.ts';
import type { WireMaster } from './event-wire.ts';
import { shownDescription } from './event-writing.ts';
import { withExceptionBodies } from './series-repair.ts';
import type { UpdateContext } from './update-context.ts';

/** Content of a series that no field tells, for a new event that continues it. */
export interface ContinuedContent {
  /** The description in HTML, where the new event has the same one. */
  readonly htmlBody?: string | undefined;
  readonly importance?: string | undefined;
}

/** A series that a new event continues, with the exceptions that the new event gets, in these slots of it. */
export interface Continued extends ContinuedContent, Pick<ContinuedSeries, 'exceptions'> {
  readonly series: WireMaster;
}

/** Reads a series for a new event that continues it; undefined when it is gone. */
export async function readContinued(
  { store }: UpdateContext,
  { seriesId, exceptions }: ContinuedSeries,
  input: NewEvent,
): Promise<Continued | undefined> {
  const master = await store.findMaster(seriesId);
  if (master === undefined) return undefined;
  const isSaid = Boolean(input.description) && input.description === shownDescription(master);
  const wanted = new Set(exceptions.map(({ providerEventId }) => providerEventId));
  const kept = (master.exceptionOccurrences ?? []).filter(({ id }) => wanted.has(id));
  return {
    htmlBody: isSaid ? markup(await store.readBody(seriesId, 'html'), master) : undefined,
    importance: master.importance ?? undefined,
    exceptions,
    series: await withExceptionBodies(store, { ...master, exceptionOccurrences: kept }),
  };
}

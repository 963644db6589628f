import type { ContinuedSeries, NewEvent } from 'kalends/ports';
import { markup } from './description.ts';
import type { WireMaster } from './event-wire.ts';
import { shownDescription } from './event-writing.ts';
import { canonicalJson } from './kept-properties.ts';
import { readLocationDetails, writePlaces } from './location.ts';
import { withExceptionBodies } from './series-repair.ts';
import type { UpdateContext } from './update-context.ts';

/** Content of a series that no field tells, for a new event that continues it. */
export interface ContinuedContent {
  /** The description in HTML, where the new event has the same one. */
  readonly htmlBody?: string | undefined;
  /** Properties of a body. */
  readonly untold?: Readonly<Record<string, unknown>>;
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
    untold: {
      ...(master.importance == null ? {} : { importance: master.importance }),
      ...(master.responseRequested == null ? {} : { responseRequested: master.responseRequested }),
      ...(input.visibility === 'private' && master.sensitivity === 'personal' ? { sensitivity: 'personal' } : {}),
      ...(isSamePlace(input, master) ? writePlaces(master) : {}),
    },
    exceptions,
    series: await withExceptionBodies(store, { ...master, exceptionOccurrences: kept }),
  };
}

function isSamePlace(input: NewEvent, { location }: WireMaster): boolean {
  const shown = [location?.displayName ?? '', readLocationDetails(location) ?? {}];
  return canonicalJson([input.location ?? '', input.locationDetails ?? {}]) === canonicalJson(shown);
}

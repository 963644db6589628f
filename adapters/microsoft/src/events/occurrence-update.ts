import { type EventPatch, ProviderError } from 'kalends/ports';
import { afterWrite } from './after-write.ts';
import { type CurrentEvent, checkWritable, stale, type UpdatedEvent, updateEvent } from './event-update.ts';
import type { WireEvent } from './event-wire.ts';
import { readKept } from './kept-properties.ts';
import { findInstance, type OccurrenceTarget } from './occurrence-resolution.ts';
import { asShown } from './own-parts.ts';
import { findDeletedSlot, restoreSlot } from './series-repair.ts';
import type { UpdateContext } from './update-context.ts';

/** Returns Graph's object for the slot of a target; undefined when there is none. */
export function instanceOf(context: UpdateContext, target: OccurrenceTarget): Promise<WireEvent | undefined> {
  const knownId = target.current.isCancelled ? '' : target.current.providerEventId;
  return findInstance(context.store, { ...target, knownId }, context.read);
}

/** Returns the tag to send for an occurrence. A slot that is no exception has none: the master's replaces it. */
export async function occurrenceTag(
  { store }: UpdateContext,
  target: OccurrenceTarget,
  ifMatch: string | undefined,
): Promise<string | undefined> {
  if (ifMatch === undefined || target.current.providerEventId !== '') return ifMatch;
  const master = await store.find(target.seriesId);
  if (master !== undefined && master['@odata.etag'] !== ifMatch) throw stale();
  return undefined;
}

/** Checks a condition on a slot that was no exception: it fails once the slot is one, whatever the master's tag. */
export function checkUntouched(instance: WireEvent, target: OccurrenceTarget, ifMatch: string | undefined): void {
  const wasUntouched = ifMatch !== undefined && target.current.providerEventId === '';
  if (wasUntouched && instance.type === 'exception') throw stale();
}

/**
 * Applies a patch to one slot of a series. A cancelled slot is restored with it.
 * @throws ProviderError not-found for a slot that the series does not have, not-organizer
 */
export async function updateOccurrence(
  context: UpdateContext,
  target: OccurrenceTarget,
  { isCancelled, ...patch }: EventPatch,
  ifMatch: string | undefined,
): Promise<UpdatedEvent> {
  if (patch.recurrence != null) {
    throw new ProviderError('invalid', 'belongs to the series, not to an occurrence', { field: 'recurrence' });
  }
  const tag = await occurrenceTag(context, target, ifMatch);
  if (target.current.isCancelled && (await findDeletedSlot(context, target)) !== undefined) {
    return revive(context, target, patch);
  }
  const readCurrent = async (): Promise<CurrentEvent> => {
    const instance = await instanceOf(context, target);
    if (instance === undefined) throw notFound();
    checkUntouched(instance, target, ifMatch);
    if (instance.isCancelled && isCancelled === false) throw notRevivable();
    return besideSeries(context, target, instance);
  };
  return updateEvent(context, readCurrent, patch, tag, ifMatch !== undefined);
}

/** Returns an instance with the values it inherits from its series. */
async function besideSeries(
  { store }: UpdateContext,
  { seriesId }: OccurrenceTarget,
  instance: WireEvent,
): Promise<CurrentEvent> {
  const series = instance.type === 'exception' ? await store.find(seriesId) : undefined;
  if (series === undefined) return { before: instance };
  return { before: asShown(instance, series), stored: readKept(instance.singleValueExtendedProperties) };
}

/** Restores a slot and applies a patch to it: both or, if the patch is refused, neither. */
async function revive(context: UpdateContext, target: OccurrenceTarget, patch: EventPatch): Promise<UpdatedEvent> {
  await checkWritable(context, target.seriesId, patch);
  await restoreSlot(context, target);
  const readCurrent = () =>
    afterWrite(async () => {
      const instance = await instanceOf(context, target);
      if (instance !== undefined) return besideSeries(context, target, instance);
      throw new ProviderError('unsupported', 'Graph has not brought the occurrence back', { field: 'isCancelled' });
    });
  try {
    return await updateEvent(context, readCurrent, patch, undefined);
  } catch (error) {
    if (!ProviderError.isInstance(error) || error.reason === 'unavailable') throw error;
    await afterWrite(async () => context.store.delete((await readCurrent()).before.id, undefined));
    throw error;
  }
}

/** A meeting that is cancelled and still shown was cancelled by its organizer. */
export function notRevivable(): ProviderError {
  return new ProviderError('not-organizer', 'only the organizer can bring it back', { field: 'isCancelled' });
}

export function notFound(): ProviderError {
  return new ProviderError('not-found', 'Graph has no such event', { status: 404 });
}

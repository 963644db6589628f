import { type EventPatch, ProviderError } from 'kalends/ports';
import { GraphFailure } from '../transport/graph-failure.ts';
import { linesOf, type ReadContext, seriesStartOf } from './event-reading.ts';
import type { WireEvent, WireMaster } from './event-wire.ts';
import { checkOrganizer, type WrittenEvent, writeEvent, writesOverHtml } from './event-writing.ts';
import type { ZoneNaming } from './event-zones.ts';
import type { KeptProperties } from './kept-properties.ts';
import { checkDeletionMail, checkMail } from './notifications.ts';
import { updateForgetting } from './series-repair.ts';
import type { UpdateContext } from './update-context.ts';

/** Attempts of a patch over an event that changes between the read and the write. */
const MAX_TRIES = 3;

/** An event's present state; for an exception also the properties that Graph stores with it. */
export interface CurrentEvent {
  readonly before: WireMaster | WireEvent;
  readonly stored?: KeptProperties;
}

/** An event before a write, and the fields sent. */
export interface UpdatedEvent {
  readonly before: WireMaster | WireEvent;
  readonly written: WrittenEvent;
}

/**
 * Applies a patch to an event's present state and sends the difference under the tag of that read: recorded properties and
 * attendees are merged, and a concurrent change must not be lost. Resolves with the state before and the fields sent.
 * `isConditional`: the caller set a condition, whether or not the event has a tag of its own for it.
 * @throws ProviderError precondition-failed when `ifMatch` does not hold, or a condition is overtaken
 */
export async function updateEvent(
  context: UpdateContext,
  readCurrent: () => Promise<CurrentEvent>,
  patch: EventPatch,
  ifMatch: string | undefined,
  isConditional = ifMatch !== undefined,
): Promise<UpdatedEvent> {
  // Under the caller's own condition a second read could not tell our write from another one.
  let isFinal = isConditional;
  for (let tries = 1; ; tries += 1) {
    const { before, stored } = await readCurrent();
    const tag = before['@odata.etag'] ?? undefined;
    if (ifMatch !== undefined && tag !== undefined && tag !== ifMatch) throw stale();
    checkOrganizer(patch, before);
    const htmlBody = writesOverHtml(patch, before) ? await context.store.readBody(before.id, 'html') : undefined;
    try {
      const written = await inEitherNaming(async (naming) => {
        const result = writeEvent(patch, {
          calendar: context.calendar,
          before,
          stored,
          series: before.type === 'seriesMaster' ? shownSeries(before, context.read) : undefined,
          htmlBody,
          naming,
          ownAddress: context.ownAddress,
        });
        checkMail(context, before, result);
        if (result.restoresSlots) {
          isFinal = true;
          await updateForgetting(context, before, result.body, ifMatch ?? tag);
        } else if (Object.keys(result.body).length > 0) {
          await context.store.update(before.id, result.body, ifMatch ?? tag);
        }
        return result;
      });
      return { before, written };
    } catch (error) {
      if (isFinal || !isWorthAnotherLook(error) || tries >= MAX_TRIES) throw error;
    }
  }
}

/** Checks that a patch could be laid over a slot of a series. @throws ProviderError unsupported or invalid, naming the field */
export async function checkWritable(context: UpdateContext, seriesId: string, patch: EventPatch): Promise<void> {
  const master = await context.store.findMaster(seriesId);
  if (master === undefined) return;
  checkOrganizer(patch, master);
  const before: WireEvent = { ...master, type: 'occurrence', recurrence: null };
  const { calendar, ownAddress } = context;
  writeEvent(patch, { calendar, before, htmlBody: '', naming: 'iana', ownAddress });
  // The return of a slot is mailed, whatever the patch changes.
  checkDeletionMail(context, master);
}

/** Returns true when the event changed between read and write, or the outcome is unknown: it is read and written again. */
function isWorthAnotherLook(error: unknown): boolean {
  return ProviderError.isInstance(error) && ['precondition-failed', 'timeout', 'unavailable'].includes(error.reason);
}

function shownSeries(master: WireMaster, read: ReadContext) {
  return { start: seriesStartOf(master, read), recurrence: linesOf(master, read) };
}

export function stale(): ProviderError {
  return new ProviderError('precondition-failed', 'the event has changed in between', { status: 412 });
}

/** Sends with IANA zone names and, where this Graph refuses them, with those of Windows. */
export async function inEitherNaming<T>(send: (naming: ZoneNaming) => Promise<T>): Promise<T> {
  try {
    return await send('iana');
  } catch (error) {
    const isZone = error instanceof GraphFailure && error.status === 400 && /TimeZone/i.test(error.code);
    if (!isZone) throw error;
    return send('windows');
  }
}

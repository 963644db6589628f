import { backoffMs } from '@kalends/provider-transport';
import { type NewEvent, ProviderError, type ProviderSession } from 'kalends/ports';
import { retry } from 'kalends/runtime';
import type { MicrosoftSettings } from '../options.ts';
import { afterWrite } from './after-write.ts';
import type { ContinuedContent } from './continued-series.ts';
import { inEitherNaming } from './event-update.ts';
import type { WireEvent } from './event-wire.ts';
import { type WrittenEvent, writeEvent } from './event-writing.ts';
import type { ZoneNaming } from './event-zones.ts';
import { requestProperty } from './kept-properties.ts';
import { checkMail } from './notifications.ts';
import { deleteSlots } from './series-repair.ts';
import type { UpdateContext } from './update-context.ts';

/**
 * Creates an event once, however often it is requested. Graph remembers a transaction id for a while only; so the request id
 * is also written into an extended property and looked up before each attempt.
 * @throws ProviderError unsupported or invalid, naming the field
 */
export async function createEvent(
  context: UpdateContext,
  settings: Pick<MicrosoftSettings, 'clock' | 'retry' | 'random'>,
  session: ProviderSession,
  input: NewEvent,
  { requestId, continued }: { readonly requestId: string; readonly continued?: ContinuedContent | undefined },
): Promise<WireEvent> {
  const { store } = context;
  const { created, excludedDates } = await inEitherNaming(async (naming) => {
    const written = writeNew(context, input, naming, continued);
    const properties = [...propertiesOf(written.body), requestProperty(requestId)];
    const body = { ...written.body, singleValueExtendedProperties: properties, transactionId: requestId };
    let isSent = false;
    const send = async (): Promise<WireEvent> => {
      isSent = false;
      const found = await store.findRequested(requestId);
      if (found !== undefined && 'kind' in found) throw new ProviderError('unreadable', found.reason);
      if (found !== undefined) return found;
      isSent = true;
      return store.create(body);
    };
    return {
      created: await retry(send, {
        clock: settings.clock,
        attempts: settings.retry.attempts,
        signal: session.signal,
        shouldRetry: (error) => isSent && session.signal?.aborted !== true && isWorthAnotherLook(error),
        delayMs: (attempt) => backoffMs(settings, attempt),
      }),
      excludedDates: written.excludedDates ?? [],
    };
  });
  await afterWrite(() => deleteSlots(context, created.id, excludedDates));
  return created;
}

/**
 * Writes a new event as Graph takes it.
 * @throws ProviderError unsupported or invalid, naming the field
 */
export function writeNew(
  context: UpdateContext,
  input: NewEvent,
  naming: ZoneNaming,
  { htmlBody, untold = {} }: ContinuedContent = {},
): WrittenEvent {
  if (input.isCancelled) {
    throw new ProviderError('unsupported', 'an event cannot be created as cancelled', { field: 'isCancelled' });
  }
  const { calendar, ownAddress } = context;
  const written = writeEvent(input, { calendar, before: null, htmlBody, naming, ownAddress });
  checkMail(context, null, written);
  return { ...written, body: { ...written.body, ...untold } };
}

function propertiesOf(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  const properties = body['singleValueExtendedProperties'];
  return Array.isArray(properties) ? properties : [];
}

/** Returns true when the outcome is unknown, or Graph says that the transaction id has been used. */
function isWorthAnotherLook(error: unknown): boolean {
  return ProviderError.isInstance(error) && ['timeout', 'unavailable', 'conflict'].includes(error.reason);
}

import { type CalendarRef, ProviderError, type ProviderEvents, type ProviderSession } from 'kalends/ports';
import type { GoogleSettings } from '../options.ts';
import type { GoogleClient } from '../transport/google-client.ts';
import { readAttachments } from './attachments.ts';
import { readDescription } from './description.ts';
import { createEventCalls } from './event-calls.ts';
import { createEventEdits, eventIdOf } from './event-edits.ts';
import { createEventPull } from './event-pull.ts';
import { isGone } from './event-reading.ts';
import type { WireEvent } from './event-wire.ts';

/** Creates Google's events as the port describes them. */
export function createEvents(settings: GoogleSettings, client: GoogleClient): ProviderEvents {
  const calls = createEventCalls(client);
  const { logger, limits } = settings;
  const reading = createEventPull(calls, { logger, pageSize: limits.pageSize });
  const writing = createEventEdits(settings, { calls, reading });

  async function getPresent(
    session: ProviderSession,
    { id }: CalendarRef,
    providerEventId: string,
  ): Promise<WireEvent> {
    const wire = await calls.get(session, id, providerEventId);
    if (isGone(wire)) throw new ProviderError('not-found', 'the event is gone');
    return wire;
  }

  return {
    carriesAnswers: true,
    pull: reading.pull,
    get: reading.get,
    async listAttachments(session, calendar, providerEventId) {
      return readAttachments(await getPresent(session, calendar, providerEventId));
    },
    async getDescription(session, calendar, providerEventId, format) {
      const { description } = await getPresent(session, calendar, providerEventId);
      return readDescription(description ?? '', format);
    },
    async findCreated(session, calendar, requestId, iCalUid) {
      if (iCalUid === undefined) return reading.find(session, calendar, eventIdOf(requestId));
      // An import brings a deleted copy back, where an id can be used once.
      const changes = await reading.findByUid(session, calendar, iCalUid);
      return changes.filter(({ kind }) => kind !== 'deleted');
    },
    ...writing,
  };
}

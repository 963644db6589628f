import type { ProviderEvents } from 'kalends/ports';
import type { GoogleSettings } from '../options.ts';
import type { GoogleClient } from '../transport/google-client.ts';
import { createEventCalls } from './event-calls.ts';
import { createEventEdits, eventIdOf } from './event-edits.ts';
import { createEventPull } from './event-pull.ts';

/** Creates Google's events as the port describes them. */
export function createEvents(settings: GoogleSettings, client: GoogleClient): ProviderEvents {
  const calls = createEventCalls(client);
  const { logger, limits } = settings;
  const reading = createEventPull(calls, { logger, pageSize: limits.pageSize });
  const writing = createEventEdits(settings, { calls, reading });
  return {
    carriesAnswers: true,
    pull: reading.pull,
    get: reading.get,
    async findCreated(session, calendar, requestId) {
      const changes = await reading.get(session, calendar, eventIdOf(requestId));
      return changes.filter(({ kind }) => kind !== 'deleted');
    },
    ...writing,
  };
}

import type { Clock, Logger, ProviderEvents, Random } from 'kalends/ports';
import { createEventCalls, type SendUpdates } from './event-calls.ts';
import { createEventReading } from './event-reading.ts';
import { createEventWriting, eventIdOf } from './event-writing.ts';
import type { Transport } from './transport.ts';

export interface EventsOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger | undefined;
  readonly sendUpdates: SendUpdates;
  /** Events of one page of the feed, at most 2,500. */
  readonly pageSize: number;
  readonly conferenceWaitsMs: readonly number[];
}

/** Google's events as the port describes them. */
export function createEvents(options: EventsOptions): ProviderEvents {
  const calls = createEventCalls(options.transport, options.sendUpdates);
  const reading = createEventReading(calls, options);
  const writing = createEventWriting({ ...options, calls, reading });
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

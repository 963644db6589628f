import type { BusyInterval, AvailabilityQuery as CoreQuery } from '../availability/index.ts';
import { type KalendsError, withDetails } from '../errors.ts';
import { type AccountBusyReader, type AccountRequest, type BusySpan, createBusyCollector } from '../events/index.ts';
import type { Slot } from '../free-busy/index.ts';
import type { AvailabilityParticipant } from '../model/index.ts';
import { createYieldToEventLoop } from '../runtime/index.ts';

/** An account of a participant. */
interface ParticipantAccount extends AccountRequest {
  /** Index of the participant. */
  readonly participant: number;
}

/**
 * Reads the busy time of the participants' calendars that meets any of the windows, in the order of the participants.
 * @throws KalendsError what the first account fails with that cannot be read, naming it
 */
export async function readParticipants(
  reader: AccountBusyReader,
  applicationId: string,
  participants: readonly AvailabilityParticipant[],
  windows: readonly Slot[],
): Promise<readonly (readonly BusySpan[])[]> {
  const requests = accountsOf(participants);
  const spans = participants.map((): BusySpan[] => []);
  if (requests.length === 0) return spans;
  for (const window of windows) {
    const found = await reader.read(applicationId, requests, window);
    for (const [index, account] of found.entries()) {
      const request = requests[index];
      if ('error' in account) throw errorAt(account.error, request?.path ?? '');
      for (const calendar of account.calendars) {
        const own = spans[request?.participant ?? 0];
        for (const span of calendar.spans) own?.push(span);
      }
    }
  }
  return spans;
}

function accountsOf(participants: readonly AvailabilityParticipant[]): readonly ParticipantAccount[] {
  return participants.flatMap(({ accounts = [] }, participant) =>
    accounts.map(({ endUserAccountId, calendarIds }, index) => ({
      participant,
      accountId: endUserAccountId,
      calendarIds,
      path: `participants.${participant}.accounts.${index}`,
    })),
  );
}

/** Names the field of the request in an error that has no path of its own. */
export function errorAt(error: KalendsError, path: string): KalendsError {
  return error.details === undefined ? withDetails(error, [{ path, message: error.message }]) : error;
}

/**
 * Returns the busy time that counts by the query, merged, in turns of the event loop: a search needs no more.
 */
export async function mergedBusy(
  spans: readonly BusyInterval[],
  { isAllDayBusy, isTentativeBusy }: Pick<CoreQuery, 'isAllDayBusy' | 'isTentativeBusy'>,
  lane: string,
): Promise<readonly BusyInterval[]> {
  const collector = createBusyCollector(createYieldToEventLoop(lane));
  for (const span of spans) {
    if (isAllDayBusy === false && span.isAllDay === true) continue;
    if (isTentativeBusy === false && span.type === 'tentative') continue;
    const pause = collector.add(span);
    if (pause !== undefined) await pause;
  }
  return await collector.finish();
}

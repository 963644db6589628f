import { ProviderError, type ProviderSession } from 'kalends/ports';
import type { MicrosoftSettings } from '../options.ts';
import { isMeetingPending } from './conference.ts';
import type { EventStore } from './event-store.ts';

/**
 * Waits a little for the link of a meeting that has just been asked for: the event is answered before Teams has made it.
 * A meeting that is still without one then is shown as pending; its link comes with a later pull, for it changes the event.
 */
export async function awaitMeetingLink(
  store: EventStore,
  settings: Pick<MicrosoftSettings, 'clock' | 'limits' | 'logger'>,
  session: ProviderSession,
  id: string,
): Promise<void> {
  try {
    for (const waitMs of settings.limits.conferenceWaitsMs) {
      const event = await store.find(id);
      if (event === undefined || !isMeetingPending(event)) return;
      await settings.clock.sleep(waitMs, session.signal);
    }
  } catch (error) {
    // The write itself is done: a failed look must not make it a failed write.
    if (!ProviderError.isInstance(error) && session.signal?.aborted !== true) throw error;
    settings.logger?.warn('a meeting is left without its link', { accountId: session.accountId });
  }
}

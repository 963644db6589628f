import { ProviderError, type ProviderSession } from 'kalends/ports';
import type { MicrosoftSettings } from '../options.ts';
import { isMeetingPending } from './conference.ts';
import type { EventStore } from './event-store.ts';

/**
 * Waits for the link of a new meeting: Graph answers before Teams has created it. A meeting that is still without one is
 * shown as pending; a later pull brings the link, which changes the event.
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
    // The write itself is done: a failed read must not make it a failed write.
    if (!ProviderError.isInstance(error) && session.signal?.aborted !== true) throw error;
    settings.logger?.warn('a meeting is left without its link', { accountId: session.accountId });
  }
}

import type { WebhookSubscription } from '../model/index.ts';
import type { ChannelRow, ChannelStore, Clock, SubscriptionRow } from '../ports/index.ts';

/** A subscription without a channel is shown to expire after this time. */
const UNCOVERED_RENEWAL_MS = 300_000;

/** Shows a subscription with the channel that covers it. */
export type ViewSubscription = (row: SubscriptionRow) => Promise<WebhookSubscription>;

/** Creates the view for one request. It reads each collection's channels once. */
export function createSubscriptionView(channels: ChannelStore, clock: Clock): ViewSubscription {
  const known = new Map<string | null, Promise<ChannelRow | undefined>>();

  const read = async ({ applicationId, accountId, calendarId }: SubscriptionRow) =>
    (await channels.list({ applicationId, accountId, calendarId })).find((row) => row.providerChannelId !== null);

  return async (row) => {
    const reading = known.get(row.calendarId) ?? read(row);
    known.set(row.calendarId, reading);
    const channel = await reading;
    return {
      id: row.id,
      provider: row.providerType,
      url: row.url,
      calendarId: row.calendarId,
      expiration: isoText(channel?.expiresAt ?? clock.now() + UNCOVERED_RENEWAL_MS),
      // Never null: a subscription without a channel (disabled, or being reopened) is polled.
      subscriptionId: channel?.providerChannelId ?? `poll_${row.id.replace(/^whs_/, '')}`,
      resourceId: channel?.resourceId ?? row.calendarId ?? row.accountId,
      endUserAccountId: row.accountId,
      subscriptionType: row.subscriptionType,
      detail: row.detail,
      format: row.format,
      rateLimit: row.rateLimit,
      disabledAt: row.disabledAt === null ? null : isoText(row.disabledAt),
      createdAt: isoText(row.createdAt),
      updatedAt: isoText(row.updatedAt),
    };
  };
}

const isoText = (at: number) => new Date(at).toISOString();

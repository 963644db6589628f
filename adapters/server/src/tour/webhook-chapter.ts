import { encoded, items, listAll } from './api.ts';
import { providerUser } from './provider-user.ts';
import { isSigned, openReceiver } from './receiver.ts';
import type { Scene } from './scene.ts';

/** Subscribes, changes an event at the provider, receives the signed message and fetches the change. */
export async function webhookChapter(scene: Scene, accountId: string, calendarId: string): Promise<void> {
  const { api, narrator, providerType } = scene;
  narrator.chapter(`${providerType}: webhooks`);
  const receiver = await openReceiver();
  try {
    const path = `/v1/events/${accountId}/${encoded(calendarId)}`;
    const before = await listAll(api, path, {});
    const subscription = await api.expect(
      'POST',
      `/v1/calendarSubscriptions/${accountId}`,
      { calendarId, webhookUrl: receiver.url },
      201,
    );
    const id = String(subscription.webhookSubscriptionId);
    const secret = String(subscription.endpointSecret);
    narrator.check(
      secret.startsWith('whsec_'),
      'POST subscribes a URL and returns its secret',
      Object.keys(subscription),
    );
    const listed = items(await api.expect('GET', `/v1/calendarSubscriptions/${accountId}`)).find(
      (item) => item.id === id,
    );
    narrator.check(
      listed?.calendarId === calendarId && typeof listed.expiration === 'string',
      'the list shows it, with the provider channel behind it',
      listed,
    );

    const other = await providerUser(scene, calendarId);
    const title = `Changed at the provider ${new Date().toISOString()}`;
    const eventId = await other.createEvent(title);
    narrator.say(`  (an event is created in ${other.description})`);
    const post = await receiver.next(20_000);
    narrator.check(post !== undefined, 'a POST arrives at the receiver');
    if (post === undefined) return;
    narrator.check(isSigned(post, secret), 'its signature is right', post.headers);
    narrator.check(!isSigned({ ...post, body: `${post.body} ` }, secret), 'and is invalid for any other body');
    const message = JSON.parse(post.body) as Record<string, unknown>;
    narrator.check(
      message.eventType === 'calendar.event.changed' &&
        typeof message.timestamp === 'string' &&
        Object.keys(message).length === 2,
      'it holds calendar.event.changed and the time, and no more',
      message,
    );
    const changes = await listAll(api, path, { syncToken: before.syncToken });
    narrator.check(
      changes.items.some((event) => event.title === title),
      'the sync token brings the new event',
      changes.items,
    );

    await other.deleteEvent(eventId);
    await receiver.next(20_000);
    const later = await listAll(api, path, { syncToken: changes.syncToken });
    narrator.check(
      later.items.some((event) => event.isDeleted === true),
      'its deletion comes with the next one',
      later.items,
    );

    const ended = await api.call('DELETE', `/v1/calendarSubscriptions/${accountId}`, { body: { subscriptionId: id } });
    narrator.check(ended.status === 200 && ended.body.success === true, 'DELETE ends the subscription', ended.body);
  } finally {
    await receiver.close();
  }
}

import { encoded, type Json } from './api.ts';
import { TourFailure } from './narrator.ts';
import type { Scene } from './scene.ts';

/** A person who changes a calendar at the provider itself, past the engine. */
export interface ProviderUser {
  readonly description: string;
  createEvent(title: string): Promise<string>;
  deleteEvent(eventId: string): Promise<void>;
}

export async function providerUser({ connection, provider, email }: Scene, calendarId: string): Promise<ProviderUser> {
  const { sandboxUrl } = connection;
  const minted = await request('POST', `${sandboxUrl}/_sandbox/${provider}/access-tokens`, undefined, { email });
  const token = String(minted.accessToken);
  const events =
    provider === 'google'
      ? `${sandboxUrl}/google/calendar/v3/calendars/${encoded(calendarId)}/events`
      : `${sandboxUrl}/microsoft/v1.0/me/calendars/${encoded(calendarId)}/events`;
  const start = '2026-03-03T12:00:00';
  const end = '2026-03-03T13:00:00';
  return {
    description: provider === 'google' ? "Google's own API" : "Microsoft's own API",
    async createEvent(title) {
      const body =
        provider === 'google'
          ? { summary: title, start: { dateTime: start, timeZone: 'UTC' }, end: { dateTime: end, timeZone: 'UTC' } }
          : { subject: title, start: { dateTime: start, timeZone: 'UTC' }, end: { dateTime: end, timeZone: 'UTC' } };
      return String((await request('POST', events, token, body)).id);
    },
    async deleteEvent(eventId) {
      await request('DELETE', `${events}/${encoded(eventId)}`, token);
    },
  };
}

async function request(method: string, url: string, token?: string, body?: unknown): Promise<Json> {
  const response = await fetch(url, {
    method,
    headers: {
      prefer: 'IdType="ImmutableId"',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new TourFailure(`${method} ${url} answered ${response.status}`, text.slice(0, 500));
  return text === '' ? {} : (JSON.parse(text) as Json);
}

import { notFound } from '../api/google-error.ts';
import type { Json } from '../api/wire.ts';
import { etagOf } from '../google-context.ts';
import type { Mailbox } from '../google-state.ts';

function valuesOf(mailbox: Mailbox): Record<string, string> {
  return {
    autoAddHangouts: 'true',
    dateFieldOrder: 'YMD',
    defaultEventLength: '60',
    format24HourTime: 'true',
    hideInvitations: 'false',
    hideWeekends: 'false',
    locale: 'en',
    remindOnRespondedEventsOnly: 'false',
    showDeclinedEvents: 'true',
    timezone: mailbox.timeZone,
    useKeyboardShortcuts: 'true',
    weekStart: '1',
  };
}

const render = (id: string, value: string): Json => ({ kind: 'calendar#setting', etag: etagOf(0), id, value });

/** `GET /users/me/settings`. */
export function listSettings(mailbox: Mailbox): Json {
  const items = Object.entries(valuesOf(mailbox)).map(([id, value]) => render(id, value));
  return {
    kind: 'calendar#settings',
    etag: etagOf(0),
    items,
    nextSyncToken: Buffer.from(mailbox.email).toString('base64url'),
  };
}

/** `GET /users/me/settings/{id}`. @throws GoogleError 404 */
export function getSetting(mailbox: Mailbox, id: string): Json {
  const value = Object.hasOwn(valuesOf(mailbox), id) ? valuesOf(mailbox)[id] : undefined;
  if (value === undefined) throw notFound();
  return render(id, value);
}

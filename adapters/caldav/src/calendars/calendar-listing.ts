import { type ProviderCalendar, ProviderError } from 'kalends/ports';
import { resolveZone, zoneOfTzid } from 'kalends/zones';
import type { Listing } from '../protocol/dav-client.ts';
import type { DavResponse } from '../protocol/multistatus.ts';
import { apple, caldavName, calendarServer, dav } from '../protocol/names.ts';
import { asCollection, idOfPath, lastSegment, pathOf } from '../protocol/paths.ts';
import { childOf, childText } from '../protocol/read-xml.ts';
import { serverKindOf } from '../server-kind.ts';

export const COLOR = apple('calendar-color');
export const NAME = dav('displayname');
export const ZONE = caldavName('calendar-timezone');
export const CTAG = calendarServer('getctag');
const SYNC_TOKEN = dav('sync-token');
const TYPE = dav('resourcetype');
const OWNER = dav('owner');
const PRIVILEGES = dav('current-user-privilege-set');
const COMPONENTS = caldavName('supported-calendar-component-set');
const DEFAULT_CALENDAR = caldavName('schedule-default-calendar-URL');

/** Properties of a calendar, and of the inbox and the home beside it. */
export const CALENDAR_PROPS = [
  TYPE,
  NAME,
  COLOR,
  ZONE,
  CTAG,
  SYNC_TOKEN,
  PRIVILEGES,
  COMPONENTS,
  OWNER,
  DEFAULT_CALENDAR,
];

/** Properties that tell whether the objects of a calendar have changed. */
export const CTAG_PROPS = [TYPE, COMPONENTS, CTAG];

/** Colour of a calendar that has none. */
export const DEFAULT_COLOR = '#3f7fbf';

/** Names that servers give to the calendar that they make themselves, the likeliest first. */
const FIRST_NAMES = ['default', 'personal', 'calendar', 'home'];

/** Most calendars of an account. A server could list as many as an answer holds, which would all be stored in one go. */
const MAX_CALENDARS = 5_000;

/** A calendar of the account. */
export interface ListedCalendar {
  readonly path: string;
  readonly calendar: ProviderCalendar;
  /** Changes whenever an object of the calendar does; undefined where the server has none. */
  readonly ctag: string | undefined;
  /** Whether the server names a sync token: it then has sync-collection. */
  readonly syncs: boolean;
}

/**
 * Reads the calendars for events of a home.
 * @throws ProviderError malformed for one at another origin, which would count as deleted, and for too many
 */
export function readCalendars(listing: Listing, email: string): readonly ListedCalendar[] {
  const base = new URL(listing.url);
  const calendars = listing.responses.filter(holdsEvents);
  if (calendars.length > MAX_CALENDARS) {
    throw new ProviderError('malformed', `the server lists more than ${MAX_CALENDARS} calendars`);
  }
  const homePath = pathOf(listing.url, base);
  const home = listing.responses.find(({ href }) => isSamePlace(pathOf(href, base), homePath));
  const self = ownerOf(home, base);
  const listed = calendars.map((response) => {
    const path = pathOf(response.href, base);
    if (path === undefined) throw new ProviderError('malformed', 'the server lists calendars at another address');
    const owner = ownerOf(response, base);
    const isOwn = self === undefined || owner === undefined || isSamePlace(owner, self);
    return readOne(response, asCollection(path), email, isOwn ? undefined : owner);
  });
  const primary = primaryOf(listed, defaultCalendar(listing, base));
  return listed.map((entry) =>
    entry.path === primary ? { ...entry, calendar: { ...entry.calendar, isPrimary: true, isShared: false } } : entry,
  );
}

function isSamePlace(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && asCollection(one) === asCollection(other);
}

function holdsEvents({ props, status }: DavResponse): boolean {
  if (status !== undefined && status >= 400) return false;
  if (childOf(props.get(TYPE), caldavName('calendar')) === undefined) return false;
  const components = (props.get(COMPONENTS)?.children ?? []).filter(({ name }) => name === caldavName('comp'));
  // A server that names no components takes all.
  return components.length === 0 || components.some(({ attributes }) => attributes['name']?.toUpperCase() === 'VEVENT');
}

/** Reads a calendar; `owner` is the path of the principal whose it is, undefined for the account's own. */
function readOne(response: DavResponse, path: string, email: string, owner: string | undefined): ListedCalendar {
  const { props } = response;
  const text = (name: Parameters<typeof props.get>[0]): string | undefined => props.get(name)?.text.trim() || undefined;
  return {
    path,
    ctag: text(CTAG),
    syncs: text(SYNC_TOKEN) !== undefined,
    calendar: {
      id: idOfPath(path),
      providerTag: null,
      name: text(NAME) ?? lastSegment(path),
      hexColor: readColor(text(COLOR)),
      readOnly: !isWritable(response),
      isPrimary: false,
      isShared: owner !== undefined,
      timeZone: readZone(text(ZONE)) ?? 'UTC',
      inviteEmail: addressOf(owner) ?? email,
      allowedOnlineMeetingProviders: [],
      defaultOnlineMeetingProvider: '',
    },
  };
}

/** Reads `#rrggbb`, with or without an alpha (Apple). */
function readColor(text: string | undefined): string {
  const [, color] = /^#?([\da-f]{6})(?:[\da-f]{2})?$/i.exec(text ?? '') ?? [];
  return color === undefined ? DEFAULT_COLOR : `#${color.toLowerCase()}`;
}

/** Reads the zone of a VCALENDAR with one VTIMEZONE (RFC 4791 §5.2.2). */
function readZone(text: string | undefined): string | undefined {
  const line = (text ?? '').split(/\r?\n/).find((candidate) => /^TZID[;:]/i.test(candidate));
  const name = line?.slice(line.lastIndexOf(':') + 1).trim();
  return name === undefined ? undefined : (resolveZone(name) ?? zoneOfTzid(name));
}

/** A calendar is writable unless its privileges say otherwise (RFC 3744 §3). */
function isWritable({ props }: DavResponse): boolean {
  const set = props.get(PRIVILEGES);
  if (set === undefined) return true;
  const names = new Set(set.children.flatMap(({ children }) => children.map(({ name }) => name)));
  return ['all', 'write', 'write-content', 'bind'].some((privilege) => names.has(dav(privilege)));
}

function ownerOf(response: DavResponse | undefined, base: URL): string | undefined {
  const href = childText(response?.props.get(OWNER), dav('href'));
  return href === undefined ? undefined : pathOf(href, base);
}

/** Returns the address that a principal is named by, as at Fastmail; those of most servers have other names. */
function addressOf(principal: string | undefined): string | undefined {
  const name = principal === undefined ? '' : lastSegment(principal);
  return name.includes('@') ? name : undefined;
}

/**
 * Returns the path of the calendar for invitations, which the inbox names (RFC 6638 §9.2). That of DAViCal is the calendar that
 * was made last, which no choice may follow.
 */
function defaultCalendar({ responses }: Listing, base: URL): string | undefined {
  if (serverKindOf(base.pathname) === 'davical') return undefined;
  for (const { props } of responses) {
    if (childOf(props.get(TYPE), caldavName('schedule-inbox')) === undefined) continue;
    const href = childText(props.get(DEFAULT_CALENDAR), dav('href'));
    const path = href === undefined ? undefined : pathOf(href, base);
    if (path !== undefined) return asCollection(path);
  }
  return undefined;
}

/** Chooses the primary calendar, so that the choice stays the same while others come and go. */
function primaryOf(listed: readonly ListedCalendar[], named: string | undefined): string | undefined {
  if (listed.some(({ path }) => path === named)) return named;
  const rank = ({ path }: ListedCalendar): number => {
    const at = FIRST_NAMES.indexOf(lastSegment(path).toLowerCase());
    return at < 0 ? FIRST_NAMES.length : at;
  };
  const own = listed.filter(({ calendar }) => !calendar.readOnly && !calendar.isShared);
  const [first] = [...own].sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
  return first?.path;
}

import { useLocation } from 'preact-iso';
import { pageLink } from '../../state/links.ts';
import { applicationId } from '../../state/session.ts';
import type { CalendarView } from './period.ts';

const VIEWS: readonly string[] = ['week', 'month', 'agenda'];

/** Choices that the address of the page holds. */
export interface CalendarAddress {
  readonly accountId: string | undefined;
  /** Calendars that are shown; undefined for the primary one. */
  readonly calendarIds: readonly string[] | undefined;
  readonly view: CalendarView;
  /** A day within the period that is shown. */
  readonly date: string | undefined;
  /** Accounts whose busy times are laid over. */
  readonly compared: readonly string[];
  /** Calendar of the event whose details are open. */
  readonly eventCalendarId: string | undefined;
}

type Change = { readonly [Name in keyof CalendarAddress]?: CalendarAddress[Name] | undefined };

/** Reads the address, and returns how to change parts of it. */
export function useCalendarAddress() {
  const { query, route } = useLocation();
  const address: CalendarAddress = {
    accountId: query['account'] || undefined,
    calendarIds: listOf(query['calendars']),
    view: viewOf(query['view']),
    date: /^\d{4}-\d\d-\d\d$/.test(query['date'] ?? '') ? query['date'] : undefined,
    compared: listOf(query['with']) ?? [],
    eventCalendarId: query['in'] || undefined,
  };
  /** Shows other things of the page; `eventId` opens an event's details, undefined closes them. */
  const show = (change: Change, eventId?: string | undefined, isReplaced = false) =>
    route(addressOf({ ...address, ...change }, eventId), isReplaced);
  return { address, show };
}

function viewOf(text: string | undefined): CalendarView {
  if (VIEWS.includes(text ?? '')) return text as CalendarView;
  // A week has no room on a phone.
  return matchMedia('(max-width: 699px)').matches ? 'agenda' : 'week';
}

/** Ids may have any character: each is encoded by itself, before the comma. */
const listOf = (text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : text.split(',').filter(Boolean).map(decodeURIComponent);

function addressOf(address: CalendarAddress, eventId: string | undefined): string {
  const { accountId, calendarIds, view, date, compared, eventCalendarId } = address;
  const search = new URLSearchParams();
  if (accountId !== undefined) search.set('account', accountId);
  if (calendarIds !== undefined) search.set('calendars', calendarIds.map(encodeURIComponent).join(','));
  search.set('view', view);
  if (date !== undefined) search.set('date', date);
  if (compared.length > 0) search.set('with', compared.map(encodeURIComponent).join(','));
  if (eventId !== undefined && eventCalendarId !== undefined) search.set('in', eventCalendarId);
  return `${pageLink(applicationId.value ?? '', 'calendar', eventId)}?${search}`;
}

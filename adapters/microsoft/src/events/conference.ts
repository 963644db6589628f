import type { ConferenceData } from 'kalends/model';
import { type CalendarRef, type EventPatch, ProviderError } from 'kalends/ports';
import type { WireEvent } from './event-wire.ts';

const NAMES: Readonly<Record<string, string>> = {
  teamsForBusiness: 'Microsoft Teams',
  skypeForBusiness: 'Skype for Business',
  skypeForConsumer: 'Skype',
};

/** Returns the meeting provider of an event; undefined for no online meeting or an unnamed provider. */
export function meetingProviderOf(wire: WireEvent | null): string | undefined {
  if (!wire?.isOnlineMeeting) return undefined;
  const provider = wire.onlineMeetingProvider;
  return provider && provider !== 'unknown' ? provider : undefined;
}

/** Returns true while a requested meeting has no link yet. */
export function isMeetingPending(wire: WireEvent): boolean {
  return wire.isOnlineMeeting === true && joinUrlOf(wire) === undefined;
}

function joinUrlOf(wire: WireEvent): string | undefined {
  return wire.onlineMeeting?.joinUrl || wire.onlineMeetingUrl || undefined;
}

/** Maps the conference of an event; undefined when there is none. */
export function readConference(wire: WireEvent): ConferenceData | undefined {
  const joinUrl = joinUrlOf(wire);
  if (!wire.isOnlineMeeting && !joinUrl) return undefined;
  const type = meetingProviderOf(wire) ?? 'unknown';
  const conferenceId = wire.onlineMeeting?.conferenceId || undefined;
  return {
    ...(conferenceId === undefined ? {} : { conferenceId }),
    conferenceType: type,
    ...(joinUrl ? { joinUrl } : {}),
    conferenceDetails: {
      ...(joinUrl ? {} : { createRequest: pendingRequest(wire, type) }),
      entryPoints: [
        ...(joinUrl ? [{ entryPointType: 'video', uri: joinUrl, label: labelOf(joinUrl) }] : []),
        ...phonesOf(wire).map((number) => ({ entryPointType: 'phone', uri: `tel:${number}`, label: number })),
      ],
      conferenceSolution: { key: { type }, name: NAMES[type] ?? 'Online meeting', iconUri: '' },
      ...(conferenceId === undefined ? {} : { conferenceId }),
    },
  };
}

/** Graph names no request: the event's id replaces it. */
function pendingRequest({ id }: WireEvent, type: string) {
  return { requestId: id, conferenceSolutionKey: { type }, status: { statusCode: 'pending' } };
}

function phonesOf(wire: WireEvent): string[] {
  const { tollNumber, tollFreeNumbers, phones } = wire.onlineMeeting ?? {};
  const numbers = [tollNumber, ...(tollFreeNumbers ?? []), ...(phones ?? []).map(({ number }) => number)];
  return [...new Set(numbers.filter((number): number is string => Boolean(number)))];
}

function labelOf(uri: string): string {
  return uri.replace(/^[a-z]+:\/\//i, '').split(/[/?#]/, 1)[0] ?? uri;
}

/**
 * Returns the fields to write for a requested meeting link; undefined when nothing changes.
 * @throws ProviderError unsupported for a provider that the calendar does not allow, a conference made by hand, and the
 * removal of one, none of which Graph can do
 */
export function writeConference(
  patch: EventPatch,
  before: WireEvent | null,
  calendar: CalendarRef,
): { readonly isOnlineMeeting: true; readonly onlineMeetingProvider: string } | undefined {
  const provider = wishedProvider(patch, before);
  if (provider === undefined) return undefined;
  const { wish, field } = provider;
  if (wish === null) {
    if (!before?.isOnlineMeeting) return undefined;
    throw new ProviderError('unsupported', 'Graph cannot take a meeting link away again', { field });
  }
  if (wish === meetingProviderOf(before)) return undefined;
  if (before?.isOnlineMeeting) {
    throw new ProviderError('unsupported', 'Graph cannot change the provider of a meeting link', { field });
  }
  // Graph would silently ignore a provider that the calendar does not allow.
  if (!calendar.allowedOnlineMeetingProviders.includes(wish)) {
    const allowed = calendar.allowedOnlineMeetingProviders.join(', ') || 'none';
    throw new ProviderError('unsupported', `this calendar allows ${allowed}, not "${wish}"`, { field });
  }
  return { isOnlineMeeting: true, onlineMeetingProvider: wish };
}

interface Wish {
  /** Null: no meeting. */
  readonly wish: string | null;
  readonly field: 'conferenceData' | 'generateMeetingUrlProvider';
}

function wishedProvider(patch: EventPatch, before: WireEvent | null): Wish | undefined {
  const asked = patch.generateMeetingUrlProvider;
  const given = givenProvider(patch.conferenceData, before);
  if (given !== undefined && asked != null && given !== asked && (given !== null || before?.isOnlineMeeting)) {
    const rule = 'says something other than generateMeetingUrlProvider';
    throw new ProviderError('unsupported', rule, { field: 'conferenceData' });
  }
  if (asked != null) return { wish: asked, field: 'generateMeetingUrlProvider' };
  if (given !== undefined) return { wish: given, field: 'conferenceData' };
  return asked === null ? { wish: null, field: 'generateMeetingUrlProvider' } : undefined;
}

/** Returns the requested provider of conference data; null for no meeting, undefined when they change nothing. */
function givenProvider(
  conferenceData: EventPatch['conferenceData'],
  before: WireEvent | null,
): string | null | undefined {
  if (conferenceData == null) return conferenceData;
  // A client may send back what it read.
  if (before !== null && isEqualJson(conferenceData, readConference(before))) return undefined;
  const requested = requestedSolution(conferenceData);
  if (requested !== undefined) return requested;
  throw new ProviderError('unsupported', 'Graph takes no conference made by hand', { field: 'conferenceData' });
}

/** Returns the solution of `conferenceDetails.createRequest` when it is the only content. */
function requestedSolution(conferenceData: Readonly<Record<string, unknown>>): string | undefined {
  const details = conferenceData['conferenceDetails'] as
    | { readonly createRequest?: { readonly conferenceSolutionKey?: { readonly type?: unknown } } }
    | undefined;
  const type = details?.createRequest?.conferenceSolutionKey?.type;
  const isRequestOnly = conferenceData['joinUrl'] === undefined && typeof type === 'string';
  return isRequestOnly ? (type as string) : undefined;
}

function isEqualJson(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right;
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].every((key) =>
    isEqualJson((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]),
  );
}

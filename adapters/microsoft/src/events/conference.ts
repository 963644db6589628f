import type { ConferenceData } from 'kalends/model';
import { type CalendarRef, type EventPatch, ProviderError } from 'kalends/ports';
import type { WireEvent } from './event-wire.ts';

const NAMES: Readonly<Record<string, string>> = {
  teamsForBusiness: 'Microsoft Teams',
  skypeForBusiness: 'Skype for Business',
  skypeForConsumer: 'Skype',
};

/** The meeting provider of an event, undefined where it is no online meeting or Graph does not say whose. */
export function meetingProviderOf(wire: WireEvent | null): string | undefined {
  if (!wire?.isOnlineMeeting) return undefined;
  const provider = wire.onlineMeetingProvider;
  return provider && provider !== 'unknown' ? provider : undefined;
}

/** The conference of an event in the keys of the public interface; undefined when there is none. */
export function readConference(wire: WireEvent): ConferenceData | undefined {
  const joinUrl = wire.onlineMeeting?.joinUrl || wire.onlineMeetingUrl;
  if (!wire.isOnlineMeeting && !joinUrl) return undefined;
  const type = meetingProviderOf(wire) ?? 'unknown';
  const conferenceId = wire.onlineMeeting?.conferenceId || undefined;
  return {
    ...(conferenceId === undefined ? {} : { conferenceId }),
    conferenceType: type,
    ...(joinUrl ? { joinUrl } : {}),
    conferenceDetails: {
      entryPoints: [
        ...(joinUrl ? [{ entryPointType: 'video', uri: joinUrl, label: labelOf(joinUrl) }] : []),
        ...phonesOf(wire).map((number) => ({ entryPointType: 'phone', uri: `tel:${number}`, label: number })),
      ],
      conferenceSolution: { key: { type }, name: NAMES[type] ?? 'Online meeting', iconUri: '' },
      ...(conferenceId === undefined ? {} : { conferenceId }),
    },
  };
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
 * What to write for the wish for a meeting link; undefined when nothing changes.
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
    throw new ProviderError('unsupported', `the calendar does not allow meetings by "${wish}"`, { field });
  }
  return { isOnlineMeeting: true, onlineMeetingProvider: wish };
}

type Wish = { readonly wish: string | null; readonly field: 'conferenceData' | 'generateMeetingUrlProvider' };

function wishedProvider(patch: EventPatch, before: WireEvent | null): Wish | undefined {
  const { generateMeetingUrlProvider, conferenceData } = patch;
  if (generateMeetingUrlProvider) return { wish: generateMeetingUrlProvider, field: 'generateMeetingUrlProvider' };
  if (conferenceData) {
    // A client may send back what it read.
    if (before !== null && isEqualJson(conferenceData, readConference(before))) return undefined;
    const requested = requestedSolution(conferenceData);
    if (requested === undefined) {
      throw new ProviderError('unsupported', 'Graph takes no conference made by hand', { field: 'conferenceData' });
    }
    return { wish: requested, field: 'conferenceData' };
  }
  if (conferenceData === null) return { wish: null, field: 'conferenceData' };
  return generateMeetingUrlProvider === null ? { wish: null, field: 'generateMeetingUrlProvider' } : undefined;
}

/** The solution that `conferenceDetails.createRequest` asks for, if nothing else is said. */
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

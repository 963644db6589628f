import type { ConferenceData } from 'kalends/model';
import { unsupported } from '../transport/google-failure.ts';
import { canonicalJson } from './echo.ts';
import { type WireConference, type WireEvent, wireConference } from './event-wire.ts';

const SOLUTIONS = new Set(['eventHangout', 'eventNamedHangout', 'hangoutsMeet', 'addOn']);
/** Solutions that Google itself creates on request. */
const GENERATED = new Set(['eventHangout', 'eventNamedHangout', 'hangoutsMeet']);
const KNOWN_KEYS = new Set(['conferenceId', 'conferenceType', 'joinUrl', 'conferenceDetails']);
/** Fields that the details say as well. */
const IN_DETAILS = ['joinUrl', 'conferenceType', 'conferenceId'] as const;
const SOLUTION_NAMES: Readonly<Record<string, string>> = { hangoutsMeet: 'Google Meet' };

export interface ConferenceContent {
  readonly conferenceData?: ConferenceData;
  readonly generateMeetingUrlProvider?: string;
}

/**
 * Maps a conference: `conferenceDetails` is Google's own object without its signature, `generateMeetingUrlProvider` the
 * solution where it can be requested. A conference that Google failed to create can be requested again.
 */
export function readConference(wire: Pick<WireEvent, 'conferenceData' | 'hangoutLink'>): ConferenceContent {
  const data = wire.conferenceData;
  if (data == null) return legacyHangout(wire.hangoutLink);
  const { signature: _signature, parameters: _parameters, ...details } = data;
  const type = typeOf(data);
  const joinUrl = data.entryPoints?.find((entry) => entry.entryPointType === 'video')?.uri ?? wire.hangoutLink;
  return {
    conferenceData: {
      ...(data.conferenceId == null ? {} : { conferenceId: data.conferenceId }),
      ...(type == null ? {} : { conferenceType: type }),
      ...(joinUrl == null ? {} : { joinUrl }),
      conferenceDetails: details,
    },
    ...(type == null || !GENERATED.has(type) || hasFailed(data) ? {} : { generateMeetingUrlProvider: type }),
  };
}

function legacyHangout(link: string | null | undefined): ConferenceContent {
  return link == null ? {} : { conferenceData: { conferenceType: 'eventHangout', joinUrl: link } };
}

function typeOf(data: WireConference): string | null | undefined {
  return data.conferenceSolution?.key?.type ?? data.createRequest?.conferenceSolutionKey?.type;
}

function hasFailed(data: WireConference): boolean {
  return data.createRequest?.status?.statusCode === 'failure' && (data.entryPoints ?? []).length === 0;
}

/** Returns true while Google is still creating the conference. */
export function isConferencePending(wire: Pick<WireEvent, 'conferenceData'>): boolean {
  return wire.conferenceData?.createRequest?.status?.statusCode === 'pending';
}

/**
 * Returns the `conferenceData` of a body: undefined leaves it, null removes it. The event's present conference is not sent
 * again: Google would refuse it or create a new one.
 * @throws ProviderError unsupported for a solution that the calendar does not allow, for data that is not Google's, that
 * contradicts itself, or that Google would ignore
 */
export function writeConference(
  patch: {
    readonly conferenceData?: Readonly<Record<string, unknown>> | null;
    readonly generateMeetingUrlProvider?: string | null;
  },
  current: ConferenceContent,
  input: { readonly allowed: readonly string[]; readonly requestId: string },
): Readonly<Record<string, unknown>> | null | undefined {
  const { conferenceData, generateMeetingUrlProvider: solution } = patch;
  if (solution != null && solution !== current.generateMeetingUrlProvider) {
    return requestConference(solution, input);
  }
  if (conferenceData != null) {
    return isSame(conferenceData, current.conferenceData)
      ? undefined
      : writeGiven(conferenceData, current.conferenceData);
  }
  if (solution != null) return undefined;
  const clears = conferenceData === null || solution === null;
  return clears && current.conferenceData !== undefined ? null : undefined;
}

function requestConference(
  solution: string,
  { allowed, requestId }: { readonly allowed: readonly string[]; readonly requestId: string },
): Readonly<Record<string, unknown>> {
  if (!allowed.includes(solution)) {
    const rule = `this calendar allows ${allowed.length === 0 ? 'none' : allowed.join(', ')}, not "${solution}"`;
    throw unsupported('generateMeetingUrlProvider', rule);
  }
  return { createRequest: { requestId, conferenceSolutionKey: { type: solution } } };
}

type Given = Readonly<Record<string, unknown>>;

/** A client that changes one field of what it read sends the old details along: they count where they are new themselves. */
function writeGiven(data: Given, current: ConferenceData = {}): Given {
  const unknown = Object.keys(data).find((key) => !KNOWN_KEYS.has(key));
  if (unknown !== undefined) throw unsupported('conferenceData', `${unknown} is not part of a conference`);
  const said = IN_DETAILS.filter((field) => data[field] !== undefined && data[field] !== current[field]);
  const details = data['conferenceDetails'];
  const isRepeated = said.length > 0 && isSame(details, current.conferenceDetails);
  const given = isRepeated ? { joinUrl: current.joinUrl, ...data } : data;
  const written = isObject(details) && !isRepeated ? withoutSpentRequest(details) : writeFields(given);
  if (!isObject(written['createRequest']) && !isFilled(written['entryPoints'])) {
    throw unsupported('conferenceData', 'conferenceDetails must have a createRequest or entryPoints');
  }
  const told = tellOf(written);
  const contradicted = said.find((field) => data[field] !== told[field]);
  if (contradicted !== undefined) {
    throw unsupported(`conferenceData.${contradicted}`, 'must agree with conferenceDetails');
  }
  requireReplaceable(current, told);
  return written;
}

/** Returns the fields that a conference would be shown with. @throws ProviderError unsupported for one that is not Google's */
function tellOf(written: Given): ConferenceData {
  const { success, data } = wireConference.safeParse(written);
  if (!success) throw unsupported('conferenceData', 'conferenceDetails must be a conference of Google');
  return readConference({ conferenceData: data }).conferenceData ?? {};
}

/** The id of a meeting that Google made names it with its link and type: others beside it would be ignored. */
function requireReplaceable(current: ConferenceData, told: ConferenceData): void {
  const isGenerated = GENERATED.has(current.conferenceType ?? '') && current.conferenceId !== undefined;
  if (!isGenerated || told.conferenceId !== current.conferenceId) return;
  const changed = IN_DETAILS.find((field) => told[field] !== current[field]);
  if (changed === undefined) return;
  const rule = 'is that of a meeting of Google: another conference needs another conferenceId, or none';
  throw unsupported(`conferenceData.${changed}`, rule);
}

function writeFields({ conferenceId, conferenceType = 'addOn', joinUrl }: Given): Given {
  if (typeof joinUrl !== 'string') throw unsupported('conferenceData', 'joinUrl or conferenceDetails must be given');
  if (typeof conferenceType !== 'string' || !SOLUTIONS.has(conferenceType)) {
    throw unsupported('conferenceData', `conferenceType must be one of ${[...SOLUTIONS].join(', ')}`);
  }
  return {
    ...(conferenceId === undefined ? {} : { conferenceId }),
    conferenceSolution: { key: { type: conferenceType }, name: SOLUTION_NAMES[conferenceType] ?? 'Conference' },
    entryPoints: [{ entryPointType: 'video', uri: joinUrl }],
  };
}

/** Removes a finished create request, which Google would carry out again for another event. */
function withoutSpentRequest(details: Given): Given {
  if (details['entryPoints'] === undefined) return details;
  const { createRequest: _createRequest, ...made } = details;
  return made;
}

function isSame(given: unknown, current: unknown): boolean {
  return current !== undefined && canonicalJson(given) === canonicalJson(current);
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { badRequest, GoogleError } from '../api/google-error.ts';
import { readBooleanParameter, readIntegerParameter } from '../api/parameters.ts';
import { isKnownZone, parseInstant } from '../events/event-time.ts';
import type { GoogleContext } from '../google-context.ts';

export const EVENT_TYPES = ['birthday', 'default', 'focusTime', 'fromGmail', 'outOfOffice', 'workingLocation'];
const DEFAULT_PAGE = 250;
const LARGEST_PAGE = 2500;
const UPDATED_MIN_REACH_MS = 30 * 86_400_000;

/** The parameters of `events.list` (and `instances`), read and checked. */
export interface EventQuery {
  readonly maxResults: number;
  readonly pageToken: string | null;
  readonly syncToken: string | null;
  readonly singleEvents: boolean;
  /** Undefined when not sent. */
  readonly showDeleted: boolean | undefined;
  readonly orderBy: 'startTime' | 'updated' | null;
  readonly timeMin: number | null;
  readonly timeMax: number | null;
  readonly updatedMin: number | null;
  readonly timeZone: string | null;
  readonly maxAttendees: number | null;
  readonly iCalUID: string | null;
  readonly q: string | null;
  readonly privateProperties: readonly string[];
  readonly sharedProperties: readonly string[];
  readonly eventTypes: readonly string[];
}

/** Parameters that an incremental list refuses. */
const NOT_WITH_SYNC_TOKEN = [
  'iCalUID',
  'orderBy',
  'privateExtendedProperty',
  'sharedExtendedProperty',
  'q',
  'timeMin',
  'timeMax',
  'updatedMin',
];

/** @throws GoogleError 400 for malformed or clashing parameters, 410 when updatedMin reaches too far back */
export function readEventQuery(context: GoogleContext, parameters: URLSearchParams): EventQuery {
  const query: EventQuery = {
    maxResults: Math.min(readIntegerParameter(parameters, 'maxResults', 1) ?? DEFAULT_PAGE, LARGEST_PAGE),
    pageToken: parameters.get('pageToken'),
    syncToken: parameters.get('syncToken'),
    singleEvents: readBooleanParameter(parameters, 'singleEvents') ?? false,
    showDeleted: readBooleanParameter(parameters, 'showDeleted'),
    orderBy: readOrder(parameters.get('orderBy')),
    timeMin: readInstant(parameters, 'timeMin'),
    timeMax: readInstant(parameters, 'timeMax'),
    updatedMin: readInstant(parameters, 'updatedMin'),
    timeZone: readZone(parameters),
    maxAttendees: readIntegerParameter(parameters, 'maxAttendees', 1) ?? null,
    iCalUID: parameters.get('iCalUID'),
    q: parameters.get('q'),
    privateProperties: readProperties(parameters, 'privateExtendedProperty'),
    sharedProperties: readProperties(parameters, 'sharedExtendedProperty'),
    eventTypes: readEventTypes(parameters.getAll('eventTypes')),
  };
  check(context, query, parameters);
  return query;
}

function check(context: GoogleContext, query: EventQuery, parameters: URLSearchParams): void {
  if (query.syncToken !== null) {
    const refused = NOT_WITH_SYNC_TOKEN.find((name) => parameters.has(name));
    if (refused !== undefined) throw badRequest(`Sync token cannot be used with ${refused}.`, refused);
    if (query.showDeleted === false)
      throw badRequest('Sync token cannot be used with showDeleted=false.', 'showDeleted');
  }
  if (query.orderBy === 'startTime' && !query.singleEvents) {
    throw badRequest('The requested ordering is not available for the particular query.', 'orderBy');
  }
  if (query.timeMin !== null && query.timeMax !== null && query.timeMax <= query.timeMin) {
    throw new GoogleError(400, 'timeRangeEmpty', 'The specified time range is empty.', {
      domain: 'calendar',
      location: 'timeMax',
    });
  }
  if (query.updatedMin !== null && query.updatedMin < context.kernel.clock.now() - UPDATED_MIN_REACH_MS) {
    throw new GoogleError(
      410,
      'updatedMinTooLongAgo',
      'The requested minimum modification time lies too far in the past.',
      {
        domain: 'calendar',
        location: 'updatedMin',
      },
    );
  }
}

function readOrder(value: string | null): EventQuery['orderBy'] {
  if (value === null || value === 'startTime' || value === 'updated') return value;
  throw badRequest(`Invalid value '${value}'. Values must be one of: [startTime, updated]`, 'orderBy');
}

function readInstant(parameters: URLSearchParams, name: string): number | null {
  const text = parameters.get(name);
  if (text === null) return null;
  const instant = parseInstant(text);
  if (instant === undefined) throw new GoogleError(400, 'badRequest', 'Bad Request', { location: name });
  return instant;
}

function readZone(parameters: URLSearchParams): string | null {
  const name = parameters.get('timeZone');
  if (name !== null && !isKnownZone(name)) throw badRequest('Invalid time zone.', 'timeZone');
  return name;
}

function readProperties(parameters: URLSearchParams, name: string): string[] {
  const pairs = parameters.getAll(name);
  const malformed = pairs.find((pair) => !pair.includes('='));
  if (malformed !== undefined)
    throw badRequest(`Invalid value '${malformed}'. It must have the form name=value.`, name);
  return pairs;
}

function readEventTypes(names: readonly string[]): readonly string[] {
  const unknown = names.find((name) => !EVENT_TYPES.includes(name));
  if (unknown !== undefined) {
    throw badRequest(`Invalid value '${unknown}'. Values must be one of: [${EVENT_TYPES.join(', ')}]`, 'eventTypes');
  }
  return names;
}

import { badRequest } from '../api/google-error.ts';
import { isObject, sameJson } from '../api/json.ts';
import type { ConferenceData, Json } from '../api/wire.ts';
import type { GoogleContext } from '../google-context.ts';
import type { StoredEvent } from '../google-state.ts';
import { updateGuestCopies } from '../guests/guest-copies.ts';
import { touchEvent } from './event-store.ts';

const MEET_ICON =
  'https://fonts.gstatic.com/s/i/productlogos/meet_2020q4/v6/web-512dp/logo_meet_2020q4_color_2x_web_512dp.png';

/** The conference of an event after a write, and whether a new one must be created. */
export interface ConferenceChange {
  readonly conferenceData: ConferenceData | undefined;
  readonly isRequested: boolean;
}

/**
 * Reads the conference of a body. Version 0 (the default) ignores the field; null removes the conference; a
 * request id that was used before is ignored, and so is the id of a meeting that was made on request.
 * @throws GoogleError 400
 */
export function readConference(
  body: Json,
  current: ConferenceData | undefined,
  { version, allowed }: { readonly version: number; readonly allowed: readonly string[] },
): ConferenceChange {
  const kept = { conferenceData: current, isRequested: false };
  if (version < 1 || !('conferenceData' in body)) return kept;
  const value = body['conferenceData'];
  if (value === null) return { conferenceData: undefined, isRequested: false };
  if (!isObject(value)) throw badRequest('Invalid conference data.');
  const request = value['createRequest'];
  if (isObject(request) && !isObject(value['conferenceSolution'])) return readRequest(request, current, allowed);
  const isMade = current?.createRequest !== undefined && current.conferenceId !== undefined;
  if (isMade && value['conferenceId'] === current.conferenceId) return kept;
  if (sameJson(value, current)) return kept;
  return { conferenceData: value as ConferenceData, isRequested: false };
}

function readRequest(request: Json, current: ConferenceData | undefined, allowed: readonly string[]): ConferenceChange {
  const { requestId, conferenceSolutionKey } = request;
  if (typeof requestId !== 'string' || requestId === '') throw badRequest('Missing conference request id.');
  if (current?.createRequest?.requestId === requestId) return { conferenceData: current, isRequested: false };
  const type = isObject(conferenceSolutionKey) ? conferenceSolutionKey['type'] : 'hangoutsMeet';
  if (typeof type !== 'string' || !allowed.includes(type)) throw badRequest('Invalid conference type value.');
  return {
    conferenceData: {
      createRequest: { requestId, conferenceSolutionKey: { type }, status: { statusCode: 'pending' } },
    },
    isRequested: true,
  };
}

/** Marks an event whose conference is being created. */
export function expectConference(context: GoogleContext, event: StoredEvent): void {
  event.conferencePending = true;
  context.state.conferencesPending = true;
  context.kernel.touched();
}

/**
 * Finishes the conferences of earlier requests. Called at the start of each request: the answer to the
 * requesting call shows `pending`, and the next read shows the outcome, independently of the clock.
 */
export function finishConferences(context: GoogleContext): void {
  if (!context.state.conferencesPending) return;
  context.state.conferencesPending = false;
  for (const calendar of Object.values(context.state.calendars)) {
    for (const event of Object.values(calendar.events)) {
      if (event.conferencePending !== true) continue;
      delete event.conferencePending;
      finish(context, event);
      touchEvent(context, calendar, event);
      updateGuestCopies(context, calendar, event);
    }
  }
}

function finish(context: GoogleContext, event: StoredEvent): void {
  const request = event.fields.conferenceData?.createRequest;
  if (request === undefined) return;
  if (context.state.conferenceFailures > 0) {
    context.state.conferenceFailures -= 1;
    event.fields.conferenceData = { createRequest: { ...request, status: { statusCode: 'failure' } } };
    return;
  }
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const part = (length: number): string => context.kernel.randomText(length, letters);
  const conferenceId = `${part(3)}-${part(4)}-${part(3)}`;
  event.fields.conferenceData = {
    createRequest: { ...request, status: { statusCode: 'success' } },
    entryPoints: [
      {
        entryPointType: 'video',
        uri: `https://meet.google.com/${conferenceId}`,
        label: `meet.google.com/${conferenceId}`,
      },
    ],
    conferenceSolution: { key: { type: 'hangoutsMeet' }, name: 'Google Meet', iconUri: MEET_ICON },
    conferenceId,
  };
}

import { KalendsError } from '../../errors.ts';
import { recordEtag } from '../read/event-presenter.ts';
import { type EventRecord, timelessContent } from '../read/group-records.ts';
import { type EventUpdateRequest, requireInvited } from './event-patch.ts';
import type { EventWriter, TargetedCall } from './event-writer.ts';
import { requireMatch } from './precondition.ts';
import type { WritePlace } from './write-place.ts';

/** Writes to one whole record at its provider. Each resolves with the record afterwards, undefined when there is none any more. */
export interface PlainWrites {
  /** A patch, an answer to the invitation, or both, under one intent. */
  update(
    place: WritePlace,
    record: EventRecord,
    request: EventUpdateRequest,
    ifMatch: string | undefined,
  ): Promise<EventRecord | undefined>;
  /** An answer alone. @throws KalendsError also Conflict for a cancelled occurrence, Forbidden where the account cannot answer it */
  respond(
    place: WritePlace,
    record: EventRecord,
    answer: Omit<EventUpdateRequest, 'patch'>,
    ifMatch: string | undefined,
  ): Promise<EventRecord | undefined>;
  delete(place: WritePlace, record: EventRecord, ifMatch: string | undefined): Promise<EventRecord | undefined>;
}

export function createPlainWrites(writer: EventWriter): PlainWrites {
  const update: PlainWrites['update'] = async (place, record, request, ifMatch) => {
    const calls = callsOf(request);
    if (calls.length === 0) return record;
    const kind = Object.keys(request.patch).length === 0 ? 'respond' : 'update';
    return await writer.writeTo(place, record, { kind, ifMatch, calls });
  };
  return {
    update,
    async respond(place, record, answer, ifMatch) {
      requireMatch(ifMatch, recordEtag(record));
      requireTakesPlace(record);
      return await update(place, record, { patch: {}, ...answer }, ifMatch);
    },
    delete: (place, record, ifMatch) => writer.writeTo(place, record, { kind: 'delete', ifMatch, calls: [remove] }),
  };
}

/** Providers refuse an answer to a cancelled occurrence each in their own way, or have nothing left to answer. */
function requireTakesPlace(record: EventRecord): void {
  if (!record.isCancelled || record.recurrenceId === null) return;
  const own = record.kind === 'stored' ? record.item : record.master;
  const { isOrganizer } = (record.group.master ?? own).event;
  requireInvited(timelessContent(record), isOrganizer, 'responseStatus');
  throw new KalendsError('Conflict', 'The occurrence is cancelled: there is nothing to answer.');
}

const remove: TargetedCall = async (events, session, calendar, target, options) => {
  const changes = await events.delete(session, calendar, target, options);
  if (changes.length > 0 || target.kind === 'occurrence') return changes;
  return [{ kind: 'deleted', providerEventId: target.providerEventId }];
};

function callsOf({ patch, response, comment }: EventUpdateRequest): readonly TargetedCall[] {
  const calls: TargetedCall[] = [];
  if (Object.keys(patch).length > 0) {
    calls.push((events, session, calendar, target, options) =>
      events.update(session, calendar, target, patch, options),
    );
  }
  if (response === undefined) return calls;
  const respond: TargetedCall = (events, session, calendar, target, options) =>
    events.respond(session, calendar, target, response, { ...options, ...(comment === undefined ? {} : { comment }) });
  // Graph cannot take an answer back: that refusal must come before anything has been changed.
  return response === 'needsAction' ? [respond, ...calls] : [...calls, respond];
}

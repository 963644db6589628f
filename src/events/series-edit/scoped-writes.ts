import { invalid } from '../../errors.ts';
import { namedSlot } from '../../mirror/index.ts';
import type { CalendarEvent, EditScope } from '../../model/index.ts';
import { type EventLocator, noEvent, type ReadPoint } from '../read/event-locator.ts';
import { presentEvent, recordEtag } from '../read/event-presenter.ts';
import { type EventRecord, recordContent } from '../read/group-records.ts';
import { type EventUpdateRequest, readEventUpdate } from '../write/event-patch.ts';
import type { PlainWrites } from '../write/plain-writes.ts';
import { requireMatch } from '../write/precondition.ts';
import type { WritePlace } from '../write/write-place.ts';
import { isOccurrence, resolveScope } from './edit-scope.ts';
import type { SeriesEdited, SeriesEditor } from './series-editor.ts';
import { isShaping } from './whole-plan.ts';

export interface ScopedRequest {
  readonly scope?: EditScope | undefined;
  readonly ifMatch?: string | undefined;
}

/** Updates and deletions of records, as far as their scope reaches. */
export interface ScopedWrites {
  /** Resolves with what was written: the record, its series, or the new series that begins with it. */
  update(place: WritePlace, record: EventRecord, body: unknown, request: ScopedRequest): Promise<CalendarEvent>;
  delete(place: WritePlace, record: EventRecord, request: ScopedRequest): Promise<void>;
}

export function createScopedWrites(deps: {
  readonly locator: EventLocator;
  readonly editor: SeriesEditor;
  readonly plain: PlainWrites;
}): ScopedWrites {
  const { locator, editor, plain } = deps;

  async function masterOf(place: WritePlace, record: EventRecord): Promise<EventRecord> {
    const master = await locator.find(place.key, record.group.groupId);
    if (master === undefined) throw noEvent();
    return master;
  }

  /** Deletes the series of a record. Where a condition was given for the record, one is given for the series. */
  async function deleteSeries(place: WritePlace, record: EventRecord, ifMatch: string | undefined): Promise<void> {
    const master = await masterOf(place, record);
    await plain.delete(place, master, ifMatch === undefined ? undefined : recordEtag(master));
  }

  /** Does the part of an edit that the editor left, and returns the record to show. */
  async function completed(
    place: WritePlace,
    record: EventRecord,
    edited: SeriesEdited,
    ifMatch: string | undefined,
  ): Promise<CalendarEvent> {
    switch (edited.kind) {
      case 'written':
        return shown(await locator.findAt(place.key, edited.id, at(place, edited.revision)));
      case 'unchanged':
        return shown(await locator.find(place.key, record.id));
      case 'deleted':
        return { ...presentEvent(record, undefined), isCancelled: true };
      case 'delete':
        await deleteSeries(place, record, ifMatch);
        return { ...presentEvent(record, undefined), isCancelled: true };
      case 'plain': {
        const target = edited.of === 'series' ? await masterOf(place, record) : record;
        const tag = ifMatch === undefined || target.id === record.id ? ifMatch : recordEtag(target);
        return shown(await plain.update(place, target, edited.request, tag));
      }
    }
  }

  return {
    async update(place, record, body, { scope, ifMatch }) {
      const reach = resolveScope(scope, record);
      if (reach !== 'this' && isOccurrence(record)) {
        return completed(place, record, await editor.update(place, record, reach, body, ifMatch), ifMatch);
      }
      const before = presentEvent(record, undefined);
      const isGone = record.isCancelled && isOccurrence(record) && record.group.master !== undefined;
      const request = readEventUpdate(body, before, recordContent(record), {
        isOccurrence: before.isException,
        isOrganizer: (record.kind === 'stored' ? record.item : record.master).event.isOrganizer,
        calendarZone: place.calendar.timeZone,
        ownEmail: place.account.row.email,
        isForOthers: isGone,
      });
      requireMatch(ifMatch, before.etag);
      if (isGone) {
        if (isEmpty(request)) return before;
        if (saysCancelled(body))
          throw invalid('isCancelled', 'must be false to change an occurrence that is cancelled');
        const answer = await completed(place, record, await editor.revive(place, record, request, ifMatch), ifMatch);
        const revived = request.response === undefined ? undefined : await locator.find(place.key, record.id);
        if (revived === undefined || revived.isCancelled) return answer;
        return shown(await plain.update(place, revived, { patch: {}, response: request.response }, undefined));
      }
      const isSeries = !isOccurrence(record) && record.group.master !== undefined;
      if (
        isSeries &&
        request.response === undefined &&
        request.patch.isCancelled !== true &&
        isShaping(request.patch)
      ) {
        return completed(place, record, await editor.update(place, record, 'all', body, ifMatch), ifMatch);
      }
      const after = await plain.update(place, record, request, ifMatch);
      // A cancelled event that the provider no longer shows is answered as what it was.
      if (after === undefined && request.patch.isCancelled === true) return { ...before, isCancelled: true };
      // A provider may still have occurrences of a series that the event was before, as cancelled.
      const givesRecurrence = (request.patch.recurrence?.length ?? 0) > 0;
      const isNewSeries = givesRecurrence && !isOccurrence(record) && record.group.master === undefined;
      if (isNewSeries && after !== undefined && hasCancelledSlots(after)) {
        return completed(place, after, await editor.reviveAll(place, after), undefined);
      }
      return shown(after);
    },

    async delete(place, record, { scope, ifMatch }) {
      const reach = resolveScope(scope, record);
      requireMatch(ifMatch, recordEtag(record));
      if (reach === 'following') {
        await completed(place, record, await editor.deleteFollowing(place, record, ifMatch), ifMatch);
      } else if (reach === 'all' && isOccurrence(record)) {
        await deleteSeries(place, record, ifMatch);
      } else {
        // A cancelled occurrence keeps its record: there is nothing left to delete.
        if (record.isCancelled && record.group.master !== undefined && isOccurrence(record)) return;
        await plain.delete(place, record, ifMatch);
      }
    },
  };
}

function at({ calendar }: WritePlace, revision: number): ReadPoint {
  return { revision, timeZone: calendar.timeZone };
}

function shown(record: EventRecord | undefined): CalendarEvent {
  if (record === undefined) throw noEvent();
  return presentEvent(record, undefined);
}

function isEmpty({ patch, response }: EventUpdateRequest): boolean {
  return response === undefined && Object.keys(patch).length === 0;
}

function hasCancelledSlots({ group: { exceptions, master } }: EventRecord): boolean {
  return exceptions.some(
    ({ event }) =>
      event.isCancelled && master !== undefined && namedSlot(master.compiled, event.recurrenceId) !== undefined,
  );
}

function saysCancelled(body: unknown): boolean {
  return (
    typeof body === 'object' && body !== null && (body as Readonly<Record<string, unknown>>)['isCancelled'] === true
  );
}

import { invalid } from '../../errors.ts';
import type { CalendarEvent, EditScope } from '../../model/index.ts';
import { type EventLocator, noEvent, type ReadPoint } from '../read/event-locator.ts';
import { memberEtag, presentEvent } from '../read/event-presenter.ts';
import { type Member, memberContent } from '../read/group-members.ts';
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
  update(place: WritePlace, member: Member, body: unknown, request: ScopedRequest): Promise<CalendarEvent>;
  delete(place: WritePlace, member: Member, request: ScopedRequest): Promise<void>;
}

export function createScopedWrites(deps: {
  readonly locator: EventLocator;
  readonly editor: SeriesEditor;
  readonly plain: PlainWrites;
}): ScopedWrites {
  const { locator, editor, plain } = deps;

  async function masterOf(place: WritePlace, member: Member): Promise<Member> {
    const master = await locator.find(place.key, member.group.groupId);
    if (master === undefined) throw noEvent();
    return master;
  }

  /** Deletes the series of a record. Where a condition was given for the record, one is given for the series. */
  async function deleteSeries(place: WritePlace, member: Member, ifMatch: string | undefined): Promise<void> {
    const master = await masterOf(place, member);
    await plain.delete(place, master, ifMatch === undefined ? undefined : memberEtag(master));
  }

  /** Does the part of an edit that the editor left, and returns the record to show. */
  async function completed(
    place: WritePlace,
    member: Member,
    edited: SeriesEdited,
    ifMatch: string | undefined,
  ): Promise<CalendarEvent> {
    switch (edited.kind) {
      case 'written':
        return shown(await locator.findAt(place.key, edited.id, at(place, edited.revision)));
      case 'unchanged':
        return shown(await locator.find(place.key, member.id));
      case 'deleted':
        return { ...presentEvent(member, undefined), isCancelled: true };
      case 'delete':
        await deleteSeries(place, member, ifMatch);
        return { ...presentEvent(member, undefined), isCancelled: true };
      case 'plain': {
        const target = edited.of === 'series' ? await masterOf(place, member) : member;
        const tag = ifMatch === undefined || target.id === member.id ? ifMatch : memberEtag(target);
        return shown(await plain.update(place, target, edited.request, tag));
      }
    }
  }

  return {
    async update(place, member, body, { scope, ifMatch }) {
      const reach = resolveScope(scope, member);
      if (reach !== 'this' && isOccurrence(member)) {
        return completed(place, member, await editor.update(place, member, reach, body, ifMatch), ifMatch);
      }
      const before = presentEvent(member, undefined);
      const isGone = member.isCancelled && isOccurrence(member) && member.group.master !== undefined;
      const request = readEventUpdate(body, before, memberContent(member), {
        isOccurrence: before.isException,
        isOrganizer: (member.item ?? member.group.master!).event.isOrganizer,
        calendarZone: place.calendar.timeZone,
        ownEmail: place.account.row.email,
        isForOthers: isGone,
      });
      requireMatch(ifMatch, before.etag);
      if (isGone) {
        if (isEmpty(request)) return before;
        if (saysCancelled(body))
          throw invalid('isCancelled', 'must be false to change an occurrence that is cancelled');
        const answer = await completed(place, member, await editor.revive(place, member, request, ifMatch), ifMatch);
        const revived = request.response === undefined ? undefined : await locator.find(place.key, member.id);
        if (revived === undefined || revived.isCancelled) return answer;
        return shown(await plain.update(place, revived, { patch: {}, response: request.response }, undefined));
      }
      const isSeries = !isOccurrence(member) && member.group.master !== undefined;
      if (
        isSeries &&
        request.response === undefined &&
        request.patch.isCancelled !== true &&
        isShaping(request.patch)
      ) {
        return completed(place, member, await editor.update(place, member, 'all', body, ifMatch), ifMatch);
      }
      const after = await plain.update(place, member, request, ifMatch);
      // A cancelled event that the provider no longer shows is answered as what it was.
      if (after === undefined && request.patch.isCancelled === true) return { ...before, isCancelled: true };
      return shown(after);
    },

    async delete(place, member, { scope, ifMatch }) {
      const reach = resolveScope(scope, member);
      requireMatch(ifMatch, memberEtag(member));
      if (reach === 'following') {
        await completed(place, member, await editor.deleteFollowing(place, member, ifMatch), ifMatch);
      } else if (reach === 'all' && isOccurrence(member)) {
        await deleteSeries(place, member, ifMatch);
      } else {
        // A cancelled occurrence keeps its record: there is nothing left to delete.
        if (member.isCancelled && member.group.master !== undefined && isOccurrence(member)) return;
        await plain.delete(place, member, ifMatch);
      }
    },
  };
}

function at({ calendar }: WritePlace, revision: number): ReadPoint {
  return { revision, timeZone: calendar.timeZone };
}

function shown(member: Member | undefined): CalendarEvent {
  if (member === undefined) throw noEvent();
  return presentEvent(member, undefined);
}

function isEmpty({ patch, response }: EventUpdateRequest): boolean {
  return response === undefined && Object.keys(patch).length === 0;
}

function saysCancelled(body: unknown): boolean {
  return (
    typeof body === 'object' && body !== null && (body as Readonly<Record<string, unknown>>)['isCancelled'] === true
  );
}

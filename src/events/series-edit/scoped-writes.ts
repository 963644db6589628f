import { invalid } from '../../errors.ts';
import type { CalendarEvent, EditScope } from '../../model/index.ts';
import { type EventLocator, noEvent } from '../event-locator.ts';
import { type EventUpdateRequest, readEventUpdate } from '../event-patch.ts';
import { memberEtag, presentEvent } from '../event-presenter.ts';
import { type Member, memberContent } from '../group-members.ts';
import type { WritePlace } from '../intents/write-place.ts';
import type { PlainWrites } from '../plain-writes.ts';
import { requireMatch } from '../precondition.ts';
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

  async function present(place: WritePlace, id: string, before: CalendarEvent | undefined): Promise<CalendarEvent> {
    const member = await locator.find(place.key, id);
    if (member !== undefined) return presentEvent(member, undefined);
    // A cancelled event that the provider no longer shows is answered as what it was.
    if (before !== undefined) return { ...before, isCancelled: true };
    throw noEvent();
  }

  /** What is left to do of an edit that the editor has not done, and the answer to it. */
  async function completed(
    place: WritePlace,
    member: Member,
    edited: SeriesEdited,
    ifMatch: string | undefined,
  ): Promise<CalendarEvent> {
    switch (edited.kind) {
      case 'written':
        return present(place, edited.id, undefined);
      case 'unchanged':
        return present(place, member.id, undefined);
      case 'deleted':
        return { ...presentEvent(member, undefined), isCancelled: true };
      case 'delete':
        await deleteSeries(place, member, ifMatch);
        return { ...presentEvent(member, undefined), isCancelled: true };
      case 'plain': {
        const target = edited.of === 'series' ? await masterOf(place, member) : member;
        const tag = ifMatch === undefined || target.id === member.id ? ifMatch : memberEtag(target);
        await plain.update(place, target, edited.request, tag);
        return present(place, target.id, undefined);
      }
    }
  }

  return {
    async update(place, member, body, { scope, ifMatch }) {
      const reach = resolveScope(scope, member);
      if (reach !== 'this' && isOccurrence(member)) {
        return completed(place, member, await editor.update(place, member, reach, body, ifMatch), ifMatch);
      }
      const shown = presentEvent(member, undefined);
      const isGone = member.isCancelled && isOccurrence(member) && member.group.master !== undefined;
      const request = readEventUpdate(body, shown, memberContent(member), {
        isOccurrence: shown.isException,
        isOrganizer: (member.item ?? member.group.master!).event.isOrganizer,
        calendarZone: place.calendar.timeZone,
        ownEmail: place.account.row.email,
        isForOthers: isGone,
      });
      requireMatch(ifMatch, shown.etag);
      if (isGone) {
        if (isEmpty(request)) return shown;
        if (saysCancelled(body))
          throw invalid('isCancelled', 'must be false to change an occurrence that is cancelled');
        const answer = await completed(place, member, await editor.revive(place, member, request, ifMatch), ifMatch);
        const revived = request.response === undefined ? undefined : await locator.find(place.key, member.id);
        if (revived === undefined || revived.isCancelled) return answer;
        await plain.update(place, revived, { patch: {}, response: request.response }, undefined);
        return present(place, member.id, undefined);
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
      await plain.update(place, member, request, ifMatch);
      return present(place, member.id, request.patch.isCancelled === true ? shown : undefined);
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

function isEmpty({ patch, response }: EventUpdateRequest): boolean {
  return response === undefined && Object.keys(patch).length === 0;
}

function saysCancelled(body: unknown): boolean {
  return (
    typeof body === 'object' && body !== null && (body as Readonly<Record<string, unknown>>)['isCancelled'] === true
  );
}

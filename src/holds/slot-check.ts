import { KalendsError } from '../errors.ts';
import type { BusyReader } from '../events/index.ts';
import { type Mirror, noCalendar } from '../mirror/index.ts';
import type { Clock, HeldSlot, HoldParticipant, HoldStore, SeenCalendar } from '../ports/index.ts';
import { inParallel } from '../runtime/index.ts';
import { errorAt } from '../scheduling/index.ts';
import { isOfAccess } from './hold-failures.ts';
import { pathOf } from './hold-input.ts';
import type { OwnTimes } from './own-times.ts';
import { candidatesByRules, nextSlots, type SlotSearch, searchedWindow, slotWindow } from './slot-search.ts';
import type { ZonedSlot } from './zoned-slot.ts';

export interface SlotQuestion {
  readonly applicationId: string;
  readonly participants: readonly HoldParticipant[];
  readonly slot: ZonedSlot;
  /** Finds the time of the booking itself, of an earlier attempt to write it, or of tentative events of the hold. @default none */
  readonly own?: OwnTimes | undefined;
  /** Holds that are not in the way. */
  readonly ownHolds: readonly string[];
  /** By which other slots are sought. */
  readonly search: SlotSearch;
  /** One of these takes part too. */
  readonly candidates?: readonly HoldParticipant[];
}

/** Mirrors that were opened for a check. */
export interface OpenedCalendars {
  readonly seen: readonly SeenCalendar[];
  /** E-mail address of each participant, in their order; empty where the first calendar has none. */
  readonly emails: readonly string[];
  /** Candidates whose account has to be connected again: their time is not known. */
  readonly expired: readonly string[];
}

export interface SlotCheck {
  /**
   * Opens the calendars of participants; with `pullFirst`, pulled by requests that start after this call. Refuses those who are to
   * get an event and cannot write to their first calendar. Of candidates, one has to be open.
   * @throws KalendsError CalendarReadOnly, or why an account or a calendar cannot be read, each naming it
   */
  open(
    applicationId: string,
    participants: readonly HoldParticipant[],
    options: {
      readonly pullFirst: boolean;
      /** One of these takes part too. */
      readonly candidates?: readonly HoldParticipant[];
      readonly getsEvent?: (index: number) => boolean;
    },
  ): Promise<OpenedCalendars>;
  /** Whether calendars and other holds leave the slot free for all participants, by what the mirror has now. */
  isFree(question: SlotQuestion): Promise<boolean>;
  /** Lists the candidates for whom calendars, holds and their rules leave the slot free. Undefined when it is not free for all participants. */
  freeCandidates(question: SlotQuestion): Promise<readonly string[] | undefined>;
  /** Creates the error for a slot that is not free, with those that are. */
  taken(question: SlotQuestion): Promise<KalendsError>;
}

export interface SlotCheckDeps {
  readonly mirror: Mirror;
  readonly busy: BusyReader;
  readonly holds: HoldStore;
  readonly clock: Clock;
}

/** Checks slots against the mirror and against holds. */
export function createSlotCheck({ mirror, busy, holds, clock }: SlotCheckDeps): SlotCheck {
  async function openOne(
    applicationId: string,
    { accountId, calendarIds }: HoldParticipant,
    { pullFirst, path }: { readonly pullFirst: boolean; readonly path: string },
  ) {
    const inAccount = atPath(`${path}.endUserAccountId`);
    const inCalendar = (index: number) => atPath(`${path}.calendarIds.${index}`);
    if (pullFirst) {
      const { account } = await mirror.startReading(applicationId, accountId, []).catch(inAccount);
      await inParallel([...calendarIds.entries()], ([index, calendarId]) =>
        mirror.pull(account, calendarId).catch(inCalendar(index)),
      );
    }
    const { account, open } = await mirror.startReading(applicationId, accountId, calendarIds).catch(inAccount);
    const seen = await Promise.all(
      calendarIds.map(async (calendarId, index) => {
        const { state } = await open(calendarId).catch(inCalendar(index));
        return { accountId, calendarId, revision: state.revision };
      }),
    );
    const first = await mirror.findCalendar(account, calendarIds[0] ?? '');
    return { seen, isReadOnly: first?.readOnly === true, email: first?.inviteEmail === '' ? '' : account.row.email };
  }

  /** Reads all busy time of each participant, then of each candidate, that meets the window. */
  async function busyTimes(question: SlotQuestion, window: HeldSlot) {
    const { applicationId, own, ownHolds } = question;
    const participants = peopleOf(question);
    const accountIds = participants.map(({ accountId }) => accountId);
    const calendars = participants.flatMap(({ accountId, calendarIds }) =>
      calendarIds.map((calendarId) => ({ accountId, calendarId })),
    );
    const [taken, spans] = await Promise.all([
      holds.listTaken(applicationId, accountIds, window),
      busy.read(applicationId, calendars, window),
    ]);
    const lists: (readonly HeldSlot[])[] = [];
    await inParallel([...calendars.entries()], async ([index, calendar]) => {
      const list: readonly HeldSlot[] | undefined = spans[index];
      if (list === undefined) throw noCalendar();
      const ownTimes = list.length === 0 ? [] : ((await own?.(calendar, window)) ?? []);
      lists[index] = ownTimes.reduce(without, list);
    });
    return participants.map(({ accountId }) => {
      const inCalendars = calendars.flatMap((each, index) =>
        each.accountId === accountId ? (lists[index] ?? []) : [],
      );
      const held = taken.filter((each) => each.accountId === accountId && !ownHolds.includes(each.holdId));
      // An event without length takes no time.
      return [...inCalendars, ...held].filter(({ startMs, endMs }) => startMs < endMs);
    });
  }

  return {
    async open(applicationId, participants, { pullFirst, candidates = [], getsEvent }) {
      const people = [...participants, ...candidates];
      const failures: unknown[] = [];
      const opened = await Promise.all(
        people.map(async (person, index) => {
          const path = pathOf(index, participants.length);
          try {
            return await openOne(applicationId, person, { pullFirst, path });
          } catch (error) {
            if (index < participants.length || !isOfAccess(error)) throw error;
            failures.push(error);
            return undefined;
          }
        }),
      );
      if (failures.length > 0 && failures.length === candidates.length) throw failures[0];
      const refused = opened.findIndex((each, index) => each?.isReadOnly === true && getsEvent?.(index));
      if (refused !== -1) throw readOnlyAt(`${pathOf(refused, participants.length)}.calendarIds.0`);
      return {
        seen: opened.flatMap((each) => each?.seen ?? []),
        emails: opened.map((each) => each?.email ?? ''),
        expired: people.flatMap(({ accountId }, index) => (opened[index] === undefined ? [accountId] : [])),
      };
    },

    async isFree(question) {
      return (await busyTimes(question, question.slot)).every(isFreeIn(question.slot));
    },

    async freeCandidates(question) {
      const { participants, candidates = [] } = question;
      const place = { ...question, nowMs: clock.now() };
      const times = await busyTimes(question, candidates.length === 0 ? question.slot : slotWindow(place));
      if (!times.slice(0, participants.length).every(isFreeIn(question.slot))) return undefined;
      return candidates.length === 0 ? [] : await candidatesByRules(question.applicationId, place, times);
    },

    async taken(question) {
      const place = { ...question, nowMs: clock.now() };
      const times = await busyTimes(question, searchedWindow(place));
      return new KalendsError('SlotTaken', 'The slot is not free for all participants; nextSlots are.', {
        nextSlots: await nextSlots(question.applicationId, place, times),
      });
    },
  };
}

function peopleOf({ participants, candidates = [] }: Pick<SlotQuestion, 'participants' | 'candidates'>) {
  return [...participants, ...candidates];
}

function isFreeIn({ startMs, endMs }: HeldSlot) {
  return (spans: readonly HeldSlot[]) => spans.every((span) => span.startMs >= endMs || span.endMs <= startMs);
}

/** Leaves out one span of exactly this time: what else a person has then, is in the way. */
function without(spans: readonly HeldSlot[], own: HeldSlot): readonly HeldSlot[] {
  const index = spans.findIndex(({ startMs, endMs }) => startMs === own.startMs && endMs === own.endMs);
  return index === -1 ? spans : spans.toSpliced(index, 1);
}

/** Throws an error on, with the field of the request that it is about. */
function atPath(path: string) {
  return (error: unknown): never => {
    throw KalendsError.isInstance(error) ? errorAt(error, path) : error;
  };
}

function readOnlyAt(path: string): KalendsError {
  const message = 'is read-only for the account: the event could not be written to it';
  return new KalendsError('CalendarReadOnly', `${path} ${message}.`, { details: [{ path, message }] });
}

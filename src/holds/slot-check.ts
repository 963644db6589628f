import { availableSlots } from '../availability/index.ts';
import { KalendsError } from '../errors.ts';
import type { BusyReader } from '../events/index.ts';
import { type Mirror, noCalendar } from '../mirror/index.ts';
import type { HeldSlot, HoldParticipant, HoldStore, SeenCalendar } from '../ports/index.ts';
import { inParallel } from '../runtime/index.ts';
import { DAY_MS, formatInstant } from '../zones/index.ts';
import type { ZonedSlot } from './hold-input.ts';

/** How far from a taken slot the next ones are sought. */
const SEARCH_MS = 14 * DAY_MS;
const STEP_MS = 15 * 60_000;
const NEXT_SLOTS = 5;

export interface SlotQuestion {
  readonly applicationId: string;
  readonly participants: readonly HoldParticipant[];
  readonly slot: ZonedSlot;
  /** Time of an event that is not in the way: of the booking itself, or of an earlier attempt to write it. */
  readonly own?: HeldSlot | undefined;
  /** Holds that are not in the way. */
  readonly ownHolds: readonly string[];
}

/** Mirrors that were opened for a check. */
export interface OpenedCalendars {
  readonly seen: readonly SeenCalendar[];
  /** E-mail address of each participant, in their order. */
  readonly emails: readonly string[];
}

export interface SlotCheck {
  /**
   * Opens the calendars of participants; with `pullFirst`, pulled by requests that start after this call.
   * @throws KalendsError NotFound naming the participant, CalendarSyncing, the provider's failure
   */
  open(
    applicationId: string,
    participants: readonly HoldParticipant[],
    options: { readonly pullFirst: boolean },
  ): Promise<OpenedCalendars>;
  /** Whether calendars and other holds leave the slot free, by what the mirror has now. */
  isFree(question: SlotQuestion): Promise<boolean>;
  /** Creates the error for a slot that is not free, with those that are. */
  taken(question: SlotQuestion): Promise<KalendsError>;
}

export interface SlotCheckDeps {
  readonly mirror: Mirror;
  readonly busy: BusyReader;
  readonly holds: HoldStore;
}

/** Checks slots against the mirror and against holds. */
export function createSlotCheck({ mirror, busy, holds }: SlotCheckDeps): SlotCheck {
  async function openOne(applicationId: string, { accountId, calendarIds }: HoldParticipant, pullFirst: boolean) {
    if (pullFirst) {
      const { account } = await mirror.startReading(applicationId, accountId, []);
      await inParallel(calendarIds, (calendarId) => mirror.pull(account, calendarId));
    }
    const { account, open } = await mirror.startReading(applicationId, accountId, calendarIds);
    const seen = await Promise.all(
      calendarIds.map(async (calendarId) => {
        const { state } = await open(calendarId);
        return { accountId, calendarId, revision: state.revision };
      }),
    );
    return { seen, email: account.row.email };
  }

  /** Reads all busy time of each participant that meets the window. */
  async function busyTimes({ applicationId, participants, own, ownHolds }: SlotQuestion, window: HeldSlot) {
    const accountIds = participants.map(({ accountId }) => accountId);
    const calendars = participants.flatMap(({ accountId, calendarIds }) =>
      calendarIds.map((calendarId) => ({ accountId, calendarId })),
    );
    const [taken, spans] = await Promise.all([
      holds.listTaken(applicationId, accountIds, window),
      busy.read(applicationId, calendars, window),
    ]);
    const lists = spans.values();
    return participants.map(({ accountId, calendarIds }) => {
      const inCalendars = calendarIds.flatMap(() => {
        const list = lists.next().value;
        if (list === undefined) throw noCalendar();
        return without(list, own);
      });
      const held = taken.filter((each) => each.accountId === accountId && !ownHolds.includes(each.holdId));
      // An event without length takes no time.
      return [...inCalendars, ...held].filter(({ startMs, endMs }) => startMs < endMs);
    });
  }

  return {
    async open(applicationId, participants, { pullFirst }) {
      const opened = await Promise.all(
        participants.map((participant, index) =>
          openOne(applicationId, participant, pullFirst).catch((error: unknown) => {
            throw naming(error, `participants.${index}`);
          }),
        ),
      );
      return { seen: opened.flatMap(({ seen }) => seen), emails: opened.map(({ email }) => email) };
    },

    async isFree(question) {
      const times = await busyTimes(question, question.slot);
      const { startMs, endMs } = question.slot;
      return times.every((spans) => spans.every((span) => span.startMs >= endMs || span.endMs <= startMs));
    },

    async taken(question) {
      const { slot, participants } = question;
      const durationMs = slot.endMs - slot.startMs;
      const window = { startMs: slot.startMs, endMs: slot.endMs + SEARCH_MS };
      const times = await busyTimes(question, window);
      const { slots } = availableSlots(
        {
          window,
          durationMs,
          stepMs: STEP_MS,
          timeZone: slot.timeZone,
          participants: participants.map(({ accountId }, index) => ({
            id: accountId,
            timeZone: slot.timeZone,
            busy: (times[index] ?? []).map(({ startMs, endMs }) => ({ startMs, endMs })),
          })),
        },
        { limit: NEXT_SLOTS },
      );
      return new KalendsError('SlotTaken', 'The slot is not free for all participants; nextSlots are.', {
        nextSlots: slots.map((free) => shownSlot({ ...free, timeZone: slot.timeZone })),
      });
    },
  };
}

/** Returns a slot as answers show it. */
export function shownSlot({ startMs, endMs, timeZone }: ZonedSlot) {
  return { startDateTime: formatInstant(timeZone, startMs), endDateTime: formatInstant(timeZone, endMs), timeZone };
}

/** Leaves out one span of exactly this time: what else a person has then, is in the way. */
function without(spans: readonly HeldSlot[], own: HeldSlot | undefined): readonly HeldSlot[] {
  if (own === undefined) return spans;
  const index = spans.findIndex(({ startMs, endMs }) => startMs === own.startMs && endMs === own.endMs);
  return index === -1 ? spans : spans.toSpliced(index, 1);
}

/** Returns the error of one participant among several, with its place in the details. */
function naming(error: unknown, path: string): unknown {
  if (!KalendsError.isInstance(error) || error.code !== 'NotFound') return error;
  const { message } = error;
  return new KalendsError('NotFound', message, { details: [{ path, message }], cause: error });
}

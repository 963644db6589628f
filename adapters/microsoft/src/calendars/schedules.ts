import { type BusyRequest, busyInParts, joined } from '@kalends/provider-transport';
import type { BusyType } from 'kalends/model';
import {
  type PersonBusy,
  type PersonBusySpan,
  ProviderError,
  type ProviderFreeBusy,
  type ProviderSession,
} from 'kalends/ports';
import { z } from 'zod';
import { instantOfWire } from '../events/event-times.ts';
import type { GraphClient } from '../transport/graph-client.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Limits of one call: Graph takes 20 addresses and 62 days, one of which is left for rounding. */
const LIMITS = { mostAddresses: 20, longestMs: 61 * DAY_MS };
/** Length of the slots of availabilityView: the least that Graph takes. */
const VIEW_MS = 5 * MINUTE_MS;

const wireTime = z.object({ dateTime: z.string(), timeZone: z.string().nullish() });
const wireSchedule = z.object({
  scheduleId: z.string().nullish(),
  availabilityView: z.string().nullish(),
  scheduleItems: z.array(z.object({ status: z.string().nullish(), start: wireTime, end: wireTime })).nullish(),
  error: z.object({ responseCode: z.string().nullish(), message: z.string().nullish() }).nullish(),
});
const wireSchedules = z.object({ value: z.array(z.unknown()) });

const TYPE_OF_STATUS: Readonly<Record<string, BusyType | undefined>> = {
  free: undefined,
  tentative: 'tentative',
  busy: 'busy',
  oof: 'oof',
  workingElsewhere: 'workingElsewhere',
};
const TYPE_OF_DIGIT: Readonly<Record<string, BusyType | undefined>> = {
  '0': undefined,
  '1': 'tentative',
  '2': 'busy',
  '3': 'oof',
  '4': 'workingElsewhere',
};

/**
 * Creates free/busy of people, rooms and distribution lists by their addresses, of work and school accounts.
 * @see https://learn.microsoft.com/graph/api/calendar-getschedule
 */
export function createFreeBusy(graph: GraphClient): ProviderFreeBusy {
  async function askPart(session: ProviderSession, part: BusyRequest): Promise<readonly PersonBusy[]> {
    const window = wholeSlots(part.window);
    const request = {
      method: 'POST',
      path: 'me/calendar/getSchedule',
      prefer: ['outlook.timezone="UTC"'],
      effect: 'none',
      body: {
        schedules: part.addresses,
        startTime: utc(window.startMs),
        endTime: utc(window.endMs),
        // Graph answers 500 without it (microsoftgraph/microsoft-graph-docs#4494).
        availabilityViewInterval: VIEW_MS / MINUTE_MS,
      },
    } as const;
    const { value } = await graph.call(session, request, wireSchedules);
    const people: PersonBusy[] = [];
    for (const [index, address] of part.addresses.entries()) {
      const person = readSchedule(scheduleOf(value, address, index), window.startMs);
      people.push(person === 'too-many' ? await inHalves(session, address, part.window) : person);
    }
    return people;
  }

  /** Asks for half of the window at a time, as one answer has at most 1,000 entries of a person. */
  async function inHalves(
    session: ProviderSession,
    address: string,
    { startMs, endMs }: BusyRequest['window'],
  ): Promise<PersonBusy> {
    if (endMs - startMs <= DAY_MS) return failed('invalid', 'the day has more entries than Graph lists');
    const middleMs = startMs + Math.floor((endMs - startMs) / 2);
    let all: PersonBusy = { spans: [] };
    for (const window of [
      { startMs, endMs: middleMs },
      { startMs: middleMs, endMs },
    ]) {
      const [half] = await askPart(session, { addresses: [address], window });
      if (half !== undefined) all = joined(all, half);
    }
    return all;
  }

  return { query: (session, request) => busyInParts(request, LIMITS, (part) => askPart(session, part)) };
}

/** Rounds a window outwards to slots of the view, at least one. */
function wholeSlots({ startMs, endMs }: BusyRequest['window']): BusyRequest['window'] {
  const first = Math.floor(startMs / VIEW_MS) * VIEW_MS;
  const last = Math.ceil(endMs / VIEW_MS) * VIEW_MS;
  return { startMs: first, endMs: Math.max(last, first + VIEW_MS) };
}

function utc(atMs: number) {
  return { dateTime: new Date(atMs).toISOString().slice(0, 19), timeZone: 'UTC' };
}

/** Returns the schedule of an address: by its id, or by its place where Graph names the mailbox by another of its addresses. */
function scheduleOf(schedules: readonly unknown[], address: string, index: number): unknown {
  const own = address.toLowerCase();
  const named = schedules.find((schedule) => {
    const { data } = wireSchedule.pick({ scheduleId: true }).safeParse(schedule);
    return data?.scheduleId?.toLowerCase() === own;
  });
  return named ?? schedules[index];
}

function readSchedule(schedule: unknown, startMs: number): PersonBusy | 'too-many' {
  const read = wireSchedule.safeParse(schedule);
  if (!read.success) return failed('unreadable', 'value: must have a schedule for each address');
  const { error, scheduleItems, availabilityView } = read.data;
  if (error) return readError(error.responseCode ?? '', error.message ?? '');
  try {
    const spans = (scheduleItems ?? []).flatMap((item) => {
      const type = typeOf(item.status ?? '');
      return type === undefined
        ? []
        : [{ startMs: instantOfWire(item.start, 'UTC'), endMs: instantOfWire(item.end, 'UTC'), type }];
    });
    // A person who shares merged time alone has no items.
    return { spans: scheduleItems?.length ? spans : spansOfView(availabilityView ?? '', startMs) };
  } catch (failure) {
    if (!ProviderError.isInstance(failure)) throw failure;
    return { error: failure };
  }
}

/** Time of a status that is not known here is not free. */
function typeOf(status: string): BusyType | undefined {
  return Object.hasOwn(TYPE_OF_STATUS, status) ? TYPE_OF_STATUS[status] : 'busy';
}

function spansOfView(view: string, startMs: number): readonly PersonBusySpan[] {
  const spans: PersonBusySpan[] = [];
  for (const run of view.matchAll(/(.)\1*/g)) {
    const digit = run[1] ?? '';
    const type = Object.hasOwn(TYPE_OF_DIGIT, digit) ? TYPE_OF_DIGIT[digit] : 'busy';
    if (type === undefined) continue;
    const from = startMs + run.index * VIEW_MS;
    spans.push({ startMs: from, endMs: from + run[0].length * VIEW_MS, type });
  }
  return spans;
}

/** Reads a code, which Graph sends as the number or as the name that Exchange has for it. */
function readError(code: string, message: string): PersonBusy | 'too-many' {
  const named = `${code} ${message}`;
  if (/\b5006\b|ResultSetTooBig|too many calendar entries/i.test(named)) return 'too-many';
  if (/\b5016\b|MailRecipientNotFound|InvalidSmtpAddress/i.test(named))
    return failed('not-found', 'Graph knows no mailbox of this address');
  if (/NoFreeBusyAccess/i.test(named))
    return failed('forbidden', 'the person does not share free/busy with the account');
  if (/TooManyMembers|DistributionListTooBig|GroupTooBig/i.test(named))
    return failed('invalid', 'the list has too many members');
  return failed('unavailable', `Graph answered ${code}`);
}

function failed(reason: ProviderError['reason'], message: string): PersonBusy {
  return { error: new ProviderError(reason, message) };
}

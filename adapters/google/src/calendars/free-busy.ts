import { type BusyRequest, busyInParts, joined } from '@kalends/provider-transport';
import { type PersonBusy, ProviderError, type ProviderFreeBusy, type ProviderSession } from 'kalends/ports';
import { z } from 'zod';
import type { GoogleClient } from '../transport/google-client.ts';

/** Limits of one call. Google refuses longer windows (`timeRangeTooLong`) without documenting from which length on. */
const LIMITS = { mostAddresses: 50, longestMs: 60 * 86_400_000 };

const errors = z.array(z.object({ reason: z.string().nullish() })).nullish();
const wireFreeBusy = z.object({
  calendars: z.record(z.string(), z.unknown()).nullish(),
  groups: z.record(z.string(), z.object({ errors, calendars: z.array(z.string()).nullish() })).nullish(),
});
const wireCalendar = z.object({
  errors,
  busy: z.array(z.object({ start: z.string(), end: z.string() })).nullish(),
});
type WireFreeBusy = z.infer<typeof wireFreeBusy>;

/**
 * Creates free/busy of people, rooms and groups by their addresses, as far as their calendars are shared with the account.
 * @see https://developers.google.com/workspace/calendar/api/v3/reference/freebusy/query
 */
export function createFreeBusy(client: GoogleClient): ProviderFreeBusy {
  async function ask(
    session: ProviderSession,
    { addresses, window }: BusyRequest,
  ): Promise<readonly (PersonBusy | 'too-many')[]> {
    const body = {
      timeMin: new Date(window.startMs).toISOString(),
      timeMax: new Date(window.endMs).toISOString(),
      timeZone: 'UTC',
      calendarExpansionMax: LIMITS.mostAddresses,
      groupExpansionMax: LIMITS.mostAddresses,
      items: addresses.map((id) => ({ id })),
    };
    const request = { method: 'POST', path: ['freeBusy'], body, effect: 'none' } as const;
    const answer = await client.call(session, request, wireFreeBusy);
    return addresses.map((address) => readAddress(answer, address));
  }

  /** Asks again, alone, for an address that did not fit because groups of the same call were expanded. */
  async function askPart(session: ProviderSession, part: BusyRequest): Promise<readonly PersonBusy[]> {
    const people: PersonBusy[] = [];
    for (const [index, person] of (await ask(session, part)).entries()) {
      if (person !== 'too-many') people.push(person);
      else {
        const [alone] = await ask(session, { ...part, addresses: part.addresses.slice(index, index + 1) });
        people.push(alone === undefined || alone === 'too-many' ? failed('tooManyCalendarsRequested') : alone);
      }
    }
    return people;
  }

  return { query: (session, request) => busyInParts(request, LIMITS, (part) => askPart(session, part)) };
}

function readAddress(answer: WireFreeBusy, address: string): PersonBusy | 'too-many' {
  const group = ownMember(answer.groups, address);
  if (group === undefined) return readCalendar(answer, address);
  const reason = reasonOf(group.errors);
  if (reason !== undefined) return reason === 'tooManyCalendarsRequested' ? 'too-many' : failed(reason);
  let all: PersonBusy = { spans: [] };
  for (const member of group.calendars ?? []) {
    const one = readCalendar(answer, member);
    if (one === 'too-many') return one;
    all = joined(all, one);
  }
  return all;
}

function readCalendar(answer: WireFreeBusy, id: string): PersonBusy | 'too-many' {
  const read = wireCalendar.safeParse(ownMember(answer.calendars, id));
  if (!read.success) return unreadable();
  const reason = reasonOf(read.data.errors);
  if (reason !== undefined) return reason === 'tooManyCalendarsRequested' ? 'too-many' : failed(reason);
  const spans = (read.data.busy ?? []).map(({ start, end }) => ({
    startMs: Date.parse(start),
    endMs: Date.parse(end),
    type: 'busy' as const,
  }));
  return spans.some(({ startMs, endMs }) => Number.isNaN(startMs + endMs)) ? unreadable() : { spans };
}

/** Returns the member of an address, in whatever case Google repeats it. */
function ownMember<Value>(members: Readonly<Record<string, Value>> | null | undefined, address: string) {
  const own = address.toLowerCase();
  return Object.entries(members ?? {}).find(([key]) => key.toLowerCase() === own)?.[1];
}

function reasonOf(list: z.infer<typeof errors>): string | undefined {
  return list === null || list === undefined || list.length === 0 ? undefined : (list[0]?.reason ?? 'unknown');
}

function failed(reason: string): PersonBusy {
  switch (reason) {
    case 'notFound':
      return refusal('not-found', 'Google has no calendar of this address that the account may see');
    case 'groupTooBig':
    case 'tooManyCalendarsRequested':
      return refusal('invalid', `the group has more than ${LIMITS.mostAddresses} members`);
    case 'internalError':
    case 'backendError':
      return refusal('unavailable', `Google answered ${reason}`);
    default:
      return refusal('forbidden', `Google answered ${reason}`);
  }
}

function unreadable(): PersonBusy {
  return refusal('unreadable', 'calendars: must have the busy time of each address');
}

function refusal(reason: ProviderError['reason'], message: string): PersonBusy {
  return { error: new ProviderError(reason, message) };
}

import type { HoldStore, NewHold, Storage } from 'kalends/ports';
import { ACCOUNT, APPLICATION } from './world.ts';

export const TTL_MS = 1_000;
export const KEPT_MS = 10_000;
export const CONFIRMATION = {
  bodyHash: 'body',
  writeTo: 'organizer',
  notifyAttendees: null,
  ttlMs: TTL_MS,
  keptMs: KEPT_MS,
} as const;
export const BOOKED = { eventIds: { [ACCOUNT]: 'evt' }, ttlMs: TTL_MS, keptMs: KEPT_MS };

/** A hold of one account. */
export function newHold(id: string, patch: Partial<NewHold> = {}): NewHold {
  return {
    id,
    applicationId: APPLICATION,
    participants: [{ accountId: ACCOUNT, calendarIds: ['cal_1'] }],
    startMs: 100,
    endMs: 200,
    timeZone: 'Europe/Rome',
    replaces: null,
    tentative: null,
    search: null,
    notifyAttendees: null,
    createdAt: 1,
    ...patch,
  };
}

type Seen = Parameters<HoldStore['take']>[1]['seen'];

export const take = ({ holds }: Storage, hold: NewHold, seen: Seen = [], dueInMs: number | null = null) =>
  holds.take(hold, { seen, ttlMs: TTL_MS, keptMs: KEPT_MS, dueInMs });

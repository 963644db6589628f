import type { Calendar, EndUserAccount, FreeBusyResult } from 'kalends/model';
import { useEffect, useState } from 'preact/hooks';
import { ProblemError } from '../../api/problem.ts';
import { request } from '../../api/request.ts';
import { instantText, wallMsOf, wallTextAt } from '../../parts/wall-time.ts';
import { mergedSlots } from './merged-slots.ts';
import type { Period } from './period.ts';

/** Busy time of a compared account, in wall time. */
export interface BusySlot {
  readonly email: string;
  /** Place of the account among the compared ones, from 0. */
  readonly lane: number;
  readonly start: string;
  readonly end: string;
}

export interface ComparedAccount {
  readonly id: string;
  /** The e-mail address, once it is known. */
  readonly email: string;
  readonly slots: readonly BusySlot[];
  readonly error: ProblemError | undefined;
}

/** Calendars that one query takes. */
const MOST_CALENDARS = 50;

async function readBusy(id: string, lane: number, period: Period, zone: string, signal: AbortSignal) {
  const encoded = encodeURIComponent(id);
  const { email } = await request<EndUserAccount>({ path: `/v1/endUserAccounts/${encoded}` }, signal);
  const calendars: { readonly data: readonly Calendar[] } = await request(
    { path: `/v1/calendars/${encoded}`, query: { limit: MOST_CALENDARS } },
    signal,
  );
  const body = {
    startDateTime: instantText(zone, wallMsOf(period.start)),
    endDateTime: instantText(zone, wallMsOf(period.end)),
    timeZone: zone,
    calendarIds: calendars.data.map((calendar) => calendar.id),
  };
  const result = await request<FreeBusyResult>({ method: 'POST', path: `/v1/freeBusy/${encoded}`, body }, signal);
  const slots = mergedSlots(result.flatMap(({ busySlots }) => busySlots)).map(([start, end]) => ({
    email,
    lane,
    start: wallTextAt(zone, start),
    end: wallTextAt(zone, end),
  }));
  return { id, email, slots, error: undefined };
}

/** Reads the busy times of accounts in a period. */
export function useBusy(accountIds: readonly string[], period: Period, zone: string): readonly ComparedAccount[] {
  const [compared, setCompared] = useState<readonly ComparedAccount[]>([]);
  const key = [...accountIds, period.start, period.end, zone].join('\n');
  useEffect(() => {
    const reading = new AbortController();
    const readOne = async (id: string, lane: number): Promise<ComparedAccount> => {
      try {
        return await readBusy(id, lane, period, zone, reading.signal);
      } catch (error) {
        if (reading.signal.aborted || !(error instanceof ProblemError)) throw error;
        return { id, email: id, slots: [], error };
      }
    };
    Promise.all(accountIds.map(readOne)).then(
      (accounts) => setCompared(accounts),
      (error) => {
        if (!reading.signal.aborted) throw error;
      },
    );
    return () => reading.abort();
  }, [key]);
  return compared;
}

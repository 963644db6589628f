import type { Fetch } from 'kalends/ports';
import type { Dice } from './dice.ts';
import type { Tally } from './tally.ts';

/** A refusal of `calendarView/delta` that no repetition overcomes. */
interface Refusal {
  readonly status: number;
  readonly code: string;
  /** Whether the first page of a round still comes, as with delegated rooms (microsoft-graph-docs#3997). */
  readonly isOfLaterPages?: boolean;
}

const REFUSALS: readonly Refusal[] = [
  { status: 400, code: 'ErrorInvalidRequest' },
  { status: 403, code: 'ErrorAccessDenied' },
  { status: 403, code: 'ErrorAccessDenied', isOfLaterPages: true },
  { status: 404, code: 'ErrorItemNotFound' },
  { status: 503, code: 'ErrorInternalServerTransientError' },
  { status: 504, code: 'UnknownError' },
];

/** Graph's refusal of the change feed of some calendars, from a moment of the storm on and for good. */
export interface RefusedFeed {
  /** The calendars whose feed is refused; empty before it begins. */
  readonly calendarIds: ReadonlySet<string>;
  /** Refuses the feeds from now on. Returns a description. */
  begin(calendarIds: readonly [string, string]): string;
  /** Graph with this habit. */
  over(provider: Fetch): Fetch;
}

/** Draws how and for which calendars Graph will refuse the feed. */
export function createRefusedFeed(source: Dice, tally: Tally): RefusedFeed {
  const refused = new Set<string>();
  const refusal = source.pick(REFUSALS);
  const chosen = source.pick([[0], [1], [0, 1]] as const);

  function isRefused(url: string): boolean {
    const { pathname, searchParams } = new URL(url);
    const [, calendarId] = /\/calendars\/([^/]+)\/calendarView\/delta$/.exec(pathname) ?? [];
    if (calendarId === undefined || !refused.has(decodeURIComponent(calendarId))) return false;
    return refusal.isOfLaterPages !== true || searchParams.has('$skiptoken');
  }

  return {
    calendarIds: refused,
    begin(calendarIds) {
      for (const index of chosen) refused.add(calendarIds[index]);
      return `the change feed of calendar ${chosen.join(' and ')} answers ${refusal.status} from now on`;
    },
    over: (provider) => async (input, init) => {
      const request = new Request(input, init);
      if (!isRefused(request.url)) return await provider(request);
      tally.count('change feed refused');
      const { status, code } = refusal;
      return Response.json({ error: { code, message: 'refused for good' } }, { status });
    },
  };
}

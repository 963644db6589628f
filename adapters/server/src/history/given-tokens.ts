import type { ListEndpoint } from './endpoint.ts';
import { type Exchange, isObject } from './history-line.ts';
import type { Moment } from './moments.ts';
import type { Findings } from './promises.ts';
import { hashOf } from './record-version.ts';

/** Sync tokens that were given out, and what becomes of them. */
export interface GivenTokens {
  given(path: string, token: string, moment: Moment): void;
  /** A list was requested with a token. */
  used(endpoint: ListEndpoint, exchange: Exchange, moment: Moment): void;
  /** The calendar was gone: one that returns may have a new history. */
  lost(path: string, moment: Moment): void;
}

interface GivenToken {
  readonly path: string;
  readonly moment: Moment;
}

const MOST_TOKENS = 500_000;
/** Clocks differ, and one token is given out for a minute. */
const TOLERANCE_MS = 120_000;

export function createGivenTokens(findings: Findings, lifetimeMs: number): GivenTokens {
  const tokens = new Map<string, GivenToken>();
  const lostAt = new Map<string, number>();

  return {
    given(path, token, moment) {
      tokens.delete(token);
      tokens.set(token, { path, moment });
      if (tokens.size > MOST_TOKENS) tokens.delete(tokens.keys().next().value as string);
    },
    lost(path, moment) {
      lostAt.set(path, moment.to);
    },
    used({ path, syncToken, pageToken }, { status, body }, moment) {
      if (syncToken === undefined || pageToken !== undefined || status === undefined || status >= 500) return;
      const known = tokens.get(hashOf(syncToken));
      if (known === undefined || known.path !== path) return;
      if (moment.to > known.moment.from + lifetimeMs - TOLERANCE_MS) return;
      if ((lostAt.get(path) ?? 0) > known.moment.from) return;
      findings.checked('token-lives');
      const code = isObject(body) ? body['code'] : undefined;
      if (status !== 410 && code !== 'InvalidSyncToken') return;
      findings.violated({
        promise: 'token-lives',
        lines: [known.moment.line, moment.line],
        place: path,
        records: [],
        message: `a sync token is refused ${ageOf(moment.to - known.moment.from)} after it was given out`,
      });
    },
  };
}

function ageOf(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

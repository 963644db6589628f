import type { Reading } from './client-copies.ts';
import type { ListEndpoint } from './endpoint.ts';
import { isObject } from './history-line.ts';
import type { Moment } from './moments.ts';
import type { Findings } from './promises.ts';
import { type DroppedRecord, hashOf, readRecord, type SeenRecord } from './record-version.ts';

/** A page of a list or sync result. */
export interface SeenPage {
  readonly records: readonly (SeenRecord | DroppedRecord)[];
  /** Moment that the page shows: that of the first page. Undefined when the history does not have that one. */
  readonly moment: Moment | undefined;
  readonly isFirst: boolean;
  /** Token that its reading began from; undefined for a list. */
  readonly since: string | undefined;
  /** The whole reading, with its last page. */
  readonly reading: Reading | undefined;
}

/** Puts pages together to readings. */
export interface PageReadings {
  /** Takes a page that was answered in `exchange`; undefined when the answer is no page. */
  take(endpoint: ListEndpoint, body: unknown, exchange: Moment): SeenPage | undefined;
}

/** A list of which further pages are expected. */
interface OpenList {
  readonly endpoint: ListEndpoint;
  readonly since: string | undefined;
  readonly moment: Moment;
  /** Pages so far: each with the line and the hash of its records. */
  readonly pages: readonly PageBefore[];
}

interface PageBefore {
  readonly line: number;
  readonly records: readonly (SeenRecord | DroppedRecord)[];
}

/** The page behind a page token, as it was read first. */
interface PageBehind {
  readonly limit: string | undefined;
  readonly hash: string;
  readonly line: number;
}

/** Page tokens whose lists can be continued, and those whose pages can be compared when they are read again. */
const MOST_OPEN = 2_000;
const MOST_COMPARED = 100_000;

export function createPageReadings(findings: Findings): PageReadings {
  const open = new Map<string, OpenList>();
  const behind = new Map<string, PageBehind>();

  function promiseTokens(endpoint: ListEndpoint, body: Readonly<Record<string, unknown>>, { line }: Moment): void {
    findings.checked('ends-with-token');
    if (isToken(body['nextPageToken']) !== isToken(body['nextSyncToken'])) return;
    const message = isToken(body['nextPageToken']) ? 'a page has a page token and a sync token' : 'a page has no token';
    findings.violated({ promise: 'ends-with-token', lines: [line], place: endpoint.path, records: [], message });
  }

  /** The same page token leads to the same page. */
  function compareRepeated({ path, limit }: ListEndpoint, token: string, records: object, line: number): void {
    const hash = hashOf(JSON.stringify(records));
    const known = behind.get(token);
    if (known === undefined) {
      remember(behind, token, { limit, hash, line }, MOST_COMPARED);
      return;
    }
    if (limit !== known.limit) return;
    findings.checked('one-moment');
    if (hash === known.hash) return;
    const message = 'a page that was read again by its page token has other records';
    findings.violated({ promise: 'one-moment', lines: [known.line, line], place: path, records: [], message });
  }

  function finish({ endpoint, since, moment, pages }: OpenList, token: string, { line }: Moment): Reading {
    const records = new Map<string, SeenRecord | DroppedRecord>();
    const lines = new Map<string, number>();
    const twice = new Map<string, number[]>();
    for (const page of pages) {
      for (const record of page.records) {
        const before = lines.get(record.id);
        if (before !== undefined) twice.set(record.id, [before, page.line]);
        lines.set(record.id, page.line);
        records.set(record.id, record);
      }
    }
    findings.checked('record-once');
    if (twice.size > 0) {
      findings.violated({
        promise: 'record-once',
        lines: [...new Set([...twice.values()].flat())].sort((one, other) => one - other),
        place: endpoint.path,
        records: [...twice.keys()].slice(0, 10),
        message: `${since === undefined ? 'a list' : 'a sync result'} names a record more than once`,
      });
    }
    return { endpoint, since, records, token: hashOf(token), moment: { ...moment, line } };
  }

  return {
    take(endpoint, body, exchange) {
      if (!isObject(body) || !Array.isArray(body['data'])) return undefined;
      const records = body['data'].map(readRecord).filter((record) => record !== undefined);
      promiseTokens(endpoint, body, exchange);
      const { syncToken } = endpoint;
      const pageToken = endpoint.pageToken === undefined ? undefined : hashOf(endpoint.pageToken);
      if (pageToken !== undefined) compareRepeated(endpoint, pageToken, records, exchange.line);
      const known = pageToken === undefined ? undefined : open.get(pageToken);
      if (pageToken !== undefined && known === undefined) {
        findings.missed('unknown-page');
        return { records, moment: undefined, isFirst: false, since: undefined, reading: undefined };
      }
      const since = syncToken === undefined ? undefined : hashOf(syncToken);
      const begun = known ?? { endpoint, since, moment: exchange, pages: [] };
      const list = { ...begun, pages: [...begun.pages, { line: exchange.line, records }] };
      const next = body['nextPageToken'];
      if (isToken(next)) remember(open, hashOf(next), list, MOST_OPEN);
      const end = body['nextSyncToken'];
      const reading = isToken(end) ? finish(list, end, exchange) : undefined;
      return { records, moment: begun.moment, isFirst: known === undefined, since: begun.since, reading };
    },
  };
}

/** Keeps the latest entries. */
function remember<Value>(entries: Map<string, Value>, key: string, value: Value, most: number): void {
  entries.delete(key);
  entries.set(key, value);
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(oldest);
  }
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

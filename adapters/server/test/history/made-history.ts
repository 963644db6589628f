import { createHistoryChecker, type HistoryCheckerOptions } from '../../src/history/history-checker.ts';
import { readHistoryLine } from '../../src/history/history-line.ts';

/** An event, as far as a history needs one. */
export interface MadeEvent {
  readonly id: string;
  readonly title?: string;
  readonly etag?: string;
  readonly updatedAt?: string;
  readonly recurringEventId?: string;
  readonly iCalUid?: string;
  readonly isDeleted?: true;
}

/** A history that is written by hand: requests follow each other, a second apart. */
export interface MadeHistory {
  /** A list of one page, or the page of a token. */
  list(query: string, data: readonly MadeEvent[], end: { readonly page?: string; readonly sync?: string }): MadeHistory;
  get(id: string, event: MadeEvent | 404): MadeHistory;
  create(event: MadeEvent, idempotencyKey?: string): MadeHistory;
  update(event: MadeEvent): MadeHistory;
  remove(id: string): MadeHistory;
  /** A request below /v1 about something other than events. */
  other(method: string, path: string, status: number, body?: object): MadeHistory;
  refused(query: string, status: number, code: string): MadeHistory;
  /** Time passes. */
  later(ms: number): MadeHistory;
  quiet(): MadeHistory;
  /** The line after this one was sent before the last `lines` ones. */
  sentBefore(lines: number): MadeHistory;
  readonly lines: readonly string[];
}

const PLACE = '/v1/events/acc_1/ada%40example.com';
const STEP_MS = 1_000;

/** The event at its n-th version: each has an etag and a time of its own. */
export function event(id: string, version = 1): MadeEvent {
  const updatedAt = new Date(Date.UTC(2026, 10, 1) + version * 60_000).toISOString();
  return { id, title: `${id} ${version}`, etag: `"${id}${version}"`, updatedAt };
}

export function gone(id: string): MadeEvent {
  return { id, isDeleted: true };
}

export function madeHistory(): MadeHistory {
  const lines: string[] = [];
  const sent: number[] = [];
  let now = Date.UTC(2026, 10, 2);
  let before = 0;
  const add = (method: string, url: string, status: number, body: unknown, more: object = {}) => {
    now += STEP_MS;
    const sentAt = before === 0 ? now : (sent.at(-before) as number) - 500;
    before = 0;
    sent.push(sentAt);
    lines.push(JSON.stringify({ sentAt, answeredAt: now + 10, method, url, status, body, ...more }));
    return self;
  };
  const self: MadeHistory = {
    lines,
    list: (query, data, { page, sync }) =>
      add('GET', `${PLACE}${query}`, 200, { data, nextPageToken: page, nextSyncToken: sync }),
    get: (id, shown) =>
      add('GET', `${PLACE}/${id}`, shown === 404 ? 404 : 200, shown === 404 ? { code: 'NotFound' } : shown),
    create: (created, idempotencyKey) => add('POST', PLACE, 201, created, { idempotencyKey }),
    update: (updated) => add('PUT', `${PLACE}/${updated.id}`, 200, updated),
    remove: (id) => add('DELETE', `${PLACE}/${id}`, 200, { success: true }),
    other: (method, path, status, body) => add(method, `/v1/${path}`, status, body),
    refused: (query, status, code) => add('GET', `${PLACE}${query}`, status, { code }),
    later(ms) {
      now += ms;
      return self;
    },
    quiet() {
      lines.push(JSON.stringify({ quiet: true, at: now + 500 }));
      return self;
    },
    sentBefore(count) {
      before = count;
      return self;
    },
  };
  return self;
}

/** Checks lines; returns each violation as its promise, its lines and its records. */
export function violationsOf({ lines }: Pick<MadeHistory, 'lines'>, options?: HistoryCheckerOptions) {
  const checker = createHistoryChecker(options);
  for (const [index, line] of lines.entries()) checker.take(readHistoryLine(line, index + 1), index + 1);
  return checker.end().violations.map(({ promise, lines: at, records }) => [promise, at, records]);
}

import { createClientCopies, type Reading } from './client-copies.ts';
import type { ClientCopy } from './client-copy.ts';
import { type Endpoint, eventsOf, type ListEndpoint, readEndpoint, readUnseenChanges } from './endpoint.ts';
import { createFindings, type HistoryReport } from './findings.ts';
import { createGivenTokens } from './given-tokens.ts';
import { type Exchange, type HistoryLine, HistoryLineError, isObject } from './history-line.ts';
import { isBefore, type Moment } from './moments.ts';
import { createOwnCreations } from './own-creations.ts';
import { createPageReadings, type SeenPage } from './page-readings.ts';
import { createRecordHistories } from './record-histories.ts';
import { readRecord, type SeenRecord } from './record-version.ts';

export interface HistoryCheckerOptions {
  /** Lifetime of sync tokens, in milliseconds. @default 30 days */
  readonly tokenLifetimeMs?: number;
  /** Whether the later one of two states of an event never has the earlier `updatedAt`. @default true */
  readonly trustsUpdatedAt?: boolean;
  /** Whether no one writes to the calendars but the clients of the history, singly. @default false */
  readonly isOnlyWriter?: boolean;
}

/** Checks a history line by line. */
export interface HistoryChecker {
  /** Takes the next line. @throws HistoryLineError when it cannot follow the lines before */
  take(line: HistoryLine, number: number): void;
  /** Returns what was found. No line follows. */
  end(): HistoryReport;
}

const DAY_MS = 86_400_000;
/** Writes of one list that later readings are compared with. */
const MOST_WRITES = 1_000;

interface OwnWrite {
  readonly id: string;
  readonly isDeletion: boolean;
  readonly moment: Moment;
}

/** Creates a checker of the promises that a client's history can show. Its memory grows with the number of records, not of lines. */
export function createHistoryChecker(options: HistoryCheckerOptions = {}): HistoryChecker {
  const { tokenLifetimeMs = 30 * DAY_MS, trustsUpdatedAt = true, isOnlyWriter = false } = options;
  const findings = createFindings();
  const copies = createClientCopies(findings);
  const pages = createPageReadings(findings);
  const records = createRecordHistories(findings, { trustsUpdatedAt, isOnlyWriter });
  const tokens = createGivenTokens(findings, tokenLifetimeMs);
  const creations = createOwnCreations(findings);
  const writes = new Map<string, OwnWrite[]>();
  /** Lists into which an import may be writing. */
  const importing = new Set<string>();
  let quiet: { readonly number: number; readonly at: number } | undefined;
  let quietTimes = 0;
  let lastAnswerAt = 0;

  function momentOf({ sentAt, answeredAt }: Exchange, line: number): Moment {
    const isQuiet = quiet !== undefined && sentAt > quiet.at;
    return { from: sentAt, to: answeredAt, line, quiet: isQuiet ? quiet?.number : undefined };
  }

  function readList(endpoint: ListEndpoint, exchange: Exchange, moment: Moment): void {
    const { status, body } = exchange;
    if (status === 404) tokens.lost(endpoint.path, moment);
    tokens.used(endpoint, exchange, moment);
    if (status !== 200) return;
    const page = pages.take(endpoint, body, moment);
    if (page?.moment === undefined) return;
    seePage(endpoint, page, page.moment, moment);
    if (page.reading === undefined) return;
    tokens.given(endpoint.path, page.reading.token, moment);
    seeReading(page.reading, copies.take(page.reading));
  }

  function seePage({ place }: ListEndpoint, page: SeenPage, shown: Moment, { line }: Moment): void {
    const moment = { ...shown, line };
    if (!page.isFirst) creations.comparePage(place, page.records, moment, shown.line);
    for (const record of page.records) {
      if (!('isDeleted' in record)) records.see(place, { record, moment, isOwnWrite: false });
      else if (place.startsWith('/v1/calendars/')) tokens.lost(eventsOf(place, record.id), moment);
      else if (page.since !== undefined && copies.isOfWhole(page.since)) records.miss(place, record.id, moment);
    }
  }

  /** The copy behind a reading has the own writes of the client. */
  function seeReading({ endpoint: { place }, moment }: Reading, copy: ClientCopy | undefined): void {
    const since = copy?.momentBefore?.from ?? 0;
    const all = copy === undefined ? [] : (writes.get(place) ?? []);
    // The latest writes stand last.
    for (let index = all.length - 1; index >= 0; index--) {
      const write = all[index] as OwnWrite;
      if (write.moment.to < since) return;
      if (!isBefore(write.moment, moment)) continue;
      const record = copy?.get(write.id);
      if (record !== undefined) records.see(place, { record, moment, isOwnWrite: false });
      else if (copy?.isWhole && !write.isDeletion) records.miss(place, write.id, moment);
    }
  }

  function noteWrite(place: string, write: OwnWrite): void {
    const all = writes.get(place) ?? [];
    all.push(write);
    if (all.length > MOST_WRITES) all.shift();
    writes.set(place, all);
  }

  function create({ place }: ListEndpoint, exchange: Exchange, moment: Moment): void {
    const record = isDone(exchange) ? shownRecord(exchange) : undefined;
    const begun = creations.take(place, exchange, record, moment);
    if (record === undefined || begun === undefined) return;
    records.see(place, { record, moment: begun, isOwnWrite: !importing.has(place) });
    noteWrite(place, { id: record.id, isDeletion: false, moment });
  }

  function change({ place, id }: Exclude<Endpoint, ListEndpoint>, exchange: Exchange, moment: Moment): void {
    const isUnknown = exchange.status === undefined || exchange.status >= 500;
    if (!isUnknown && !isDone(exchange)) return;
    const record = isUnknown ? undefined : shownRecord(exchange);
    if (record?.id !== id) records.disturbed(place, id, moment.from);
    if (record === undefined) return;
    records.see(place, { record, moment, isOwnWrite: !importing.has(place) });
    noteWrite(place, { id: record.id, isDeletion: false, moment });
  }

  function remove({ place, id }: Exclude<Endpoint, ListEndpoint>, exchange: Exchange, moment: Moment): void {
    if (place.startsWith('/v1/calendars/') && isDone(exchange)) tokens.lost(eventsOf(place, id), moment);
    const scope = new URLSearchParams(exchange.url.split('?')[1]).get('scope') ?? 'all';
    const isWhole = scope === 'all' && !isOccurrenceId(id);
    if (!isDone(exchange) || !isWhole) {
      change({ kind: 'record', place, id }, { ...exchange, body: undefined }, moment);
      return;
    }
    records.deleted(place, id, moment);
    noteWrite(place, { id, isDeletion: true, moment });
  }

  /** Moves, cancellations and imports change records that their lines do not name. */
  function changeUnseen({ method, url, body }: Exchange, { from }: Moment): void {
    const changes = readUnseenChanges(url);
    if (changes === undefined) return;
    if (method !== 'GET') records.allDisturbed(changes.kind === 'import' ? changes.place : undefined, from);
    if (changes.kind !== 'import') return;
    if (method === 'POST') importing.add(changes.place);
    else if (isObject(body) && 'state' in body && body['state'] !== 'running') importing.delete(changes.place);
  }

  function exchanged(exchange: Exchange, line: number): void {
    if (exchange.answeredAt < lastAnswerAt) {
      throw new HistoryLineError(
        line,
        'answeredAt: is before that of an earlier line; lines stand in order of answers. Give what follows a clock that was set back as a file of its own',
      );
    }
    lastAnswerAt = exchange.answeredAt;
    findings.exchanged();
    const moment = momentOf(exchange, line);
    changeUnseen(exchange, moment);
    const endpoint = readEndpoint(exchange.url);
    if (endpoint === undefined) return;
    const { method, status, body } = exchange;
    if (endpoint.kind === 'list') {
      if (method === 'GET') readList(endpoint, exchange, moment);
      if (method === 'POST' && endpoint.path === endpoint.place) create(endpoint, exchange, moment);
      return;
    }
    // A proxy answers 404 too, while it does not reach the service.
    const isMissing = status === 404 && isObject(body) && body['code'] === 'NotFound';
    if (isMissing && endpoint.kind === 'record') records.miss(endpoint.place, endpoint.id, moment);
    if (method === 'PUT' || method === 'POST') change(endpoint, exchange, moment);
    if (method === 'DELETE') remove(endpoint, exchange, moment);
    const record = method === 'GET' && status === 200 ? shownRecord(exchange) : undefined;
    if (record !== undefined) records.see(endpoint.place, { record, moment, isOwnWrite: false });
  }

  return {
    take(line, number) {
      if (!('quiet' in line)) exchanged(line, number);
      else quiet = line.quiet ? { number: ++quietTimes, at: line.at } : undefined;
    },
    end() {
      records.end();
      return findings.report();
    },
  };
}

function isDone({ status }: Exchange): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function shownRecord({ body }: Exchange): SeenRecord | undefined {
  const record = isObject(body) ? readRecord(body) : undefined;
  return record === undefined || 'isDeleted' in record ? undefined : record;
}

/** Occurrences are named by their series and their original start. */
function isOccurrenceId(id: string): boolean {
  return /_\d{8}(?:T\d{6}Z)?$/.test(id);
}

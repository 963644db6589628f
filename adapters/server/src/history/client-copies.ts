import { ClientCopy } from './client-copy.ts';
import type { ListEndpoint } from './endpoint.ts';
import { alternation, isBefore, type Moment } from './moments.ts';
import type { Findings } from './promises.ts';
import type { DroppedRecord, SeenRecord } from './record-version.ts';

/** A complete list, or a complete sync result. */
export interface Reading {
  readonly endpoint: ListEndpoint;
  /** Token that it began from; undefined for a list. */
  readonly since: string | undefined;
  readonly records: ReadonlyMap<string, SeenRecord | DroppedRecord>;
  /** Token that it ends with. */
  readonly token: string;
  readonly moment: Moment;
}

/** The copies that a client keeps: each is brought up to date by its tokens, and compared with all others of the same list. */
export interface ClientCopies {
  /** Takes a reading; returns the copy that it leads to, undefined when its token leads to none. */
  take(reading: Reading): ClientCopy | undefined;
  /** Whether the token leads to a copy of a list without filters: what leaves another one may be there still. */
  isOfWhole(token: string): boolean;
}

/** Copies of one list that are kept, and records of all copies. */
const MOST_COPIES_OF_VIEW = 16;
const MOST_RECORDS = 4_000_000;
const MOST_TOKENS = 500_000;

export function createClientCopies(findings: Findings): ClientCopies {
  const byView = new Map<string, ClientCopy[]>();
  /** Copies by the tokens that lead to them; the least recent first. */
  const byToken = new Map<string, ClientCopy>();
  /** Copies in the order of their last use. */
  const inUse = new Set<ClientCopy>();
  const told = new WeakMap<ClientCopy, WeakSet<ClientCopy>>();
  let size = 0;

  function forget(copy: ClientCopy): void {
    size -= copy.size;
    inUse.delete(copy);
    const others = (byView.get(copy.view) ?? []).filter((each) => each !== copy);
    if (others.length === 0) byView.delete(copy.view);
    else byView.set(copy.view, others);
    copy.forget();
  }

  function keep(copy: ClientCopy, sizeBefore: number): void {
    size += copy.size - sizeBefore;
    inUse.delete(copy);
    inUse.add(copy);
    const of = byView.get(copy.view) ?? [];
    byView.set(copy.view, [...of.filter((each) => each !== copy), copy]);
    byToken.delete(copy.token);
    byToken.set(copy.token, copy);
    const surplus = of.length >= MOST_COPIES_OF_VIEW && !of.includes(copy) ? of[0] : undefined;
    if (surplus !== undefined) forget(surplus);
    for (const oldest of inUse) {
      if (size <= MOST_RECORDS || oldest === copy) break;
      forget(oldest);
    }
    for (const token of byToken.keys()) {
      if (byToken.size <= MOST_TOKENS) break;
      byToken.delete(token);
    }
  }

  /** Copies that differ at what must be one moment. */
  function compare(copy: ClientCopy): void {
    for (const other of byView.get(copy.view) ?? []) {
      if (other === copy || told.get(copy)?.has(other) || told.get(other)?.has(copy)) continue;
      const isQuiet = isSameQuiet(copy.lastMoment, other.lastMoment);
      // Only a copy that was read since the last reading of this one can say something new about it.
      const before = copy.momentBefore;
      if (!isQuiet && (before === undefined || !isBefore(before, other.lastMoment))) continue;
      if (!isQuiet && !canContradict(copy.moments, other.moments)) continue;
      findings.checked('copy-equals-list');
      if (copy.sum === other.sum) continue;
      const differing = differences(copy, other, isQuiet);
      if (differing.length === 0) continue;
      told.set(copy, (told.get(copy) ?? new WeakSet()).add(other));
      findings.violated({
        promise: 'copy-equals-list',
        lines: ascending([other.lastMoment.line, copy.lastMoment.line]),
        place: copy.view,
        records: differing.slice(0, 10),
        message: `two copies of the list differ in ${differing.length} records at what is one moment`,
      });
    }
  }

  function begin({ endpoint, records, token, moment }: Reading): ClientCopy {
    const view = `${endpoint.path}?${endpoint.filters}`;
    const isWhole = endpoint.filters === '' && endpoint.path === endpoint.place;
    const copy = new ClientCopy(endpoint.place, view, isWhole, token);
    copy.apply(records.values(), token, moment);
    const known = byToken.get(token);
    if (known === undefined || known.token !== token || !inUse.has(known)) {
      keep(copy, 0);
      return copy;
    }
    // A token is used for more than one answer while nothing changes.
    findings.checked('copy-equals-list');
    if (known.sum !== copy.sum) {
      const all = new Set([...known.ids, ...copy.ids]);
      const differing = [...all].filter((id) => known.version(id) !== copy.version(id));
      findings.violated({
        promise: 'copy-equals-list',
        lines: ascending([known.lastMoment.line, moment.line]),
        place: view,
        records: differing.slice(0, 10),
        message: `two lists with one sync token differ in ${differing.length} records`,
      });
    }
    known.seenAgain(moment);
    keep(known, known.size);
    return known;
  }

  function goOn(since: string, { records, token, moment }: Reading): ClientCopy | undefined {
    const known = byToken.get(since);
    if (known === undefined) {
      findings.missed('unknown-token');
      return undefined;
    }
    const copy = !inUse.has(known) ? undefined : known.token === since ? known : known.asOf(since);
    if (copy === undefined) {
      findings.missed('forgotten-copy');
      return undefined;
    }
    const sizeBefore = copy === known ? copy.size : 0;
    copy.apply(records.values(), token, moment);
    keep(copy, sizeBefore);
    return copy;
  }

  return {
    take(reading) {
      const copy = reading.since === undefined ? begin(reading) : goOn(reading.since, reading);
      if (copy !== undefined) compare(copy);
      return copy;
    },
    isOfWhole: (token) => byToken.get(token)?.isWhole === true,
  };
}

function isSameQuiet(one: Moment, other: Moment): boolean {
  return one.quiet !== undefined && one.quiet === other.quiet;
}

/** Two copies that are read in turns: A, B, A. */
function canContradict(one: readonly Moment[], other: readonly Moment[]): boolean {
  return alternation(one, other).length >= 3 || alternation(other, one).length >= 3;
}

/** Records of which both copies cannot be right. */
function differences(one: ClientCopy, other: ClientCopy, isQuiet: boolean): readonly string[] {
  const differing: string[] = [];
  const recent = new Set([...one.lastChanged, ...other.lastChanged]);
  // Mostly the copies differ only in what one of them was just told: then the others need not be walked.
  const isEqualElsewhere = one.sum - one.sumOf(recent) === other.sum - other.sumOf(recent);
  for (const id of isEqualElsewhere ? recent : new Set([...one.ids, ...other.ids])) {
    if (one.version(id) === other.version(id)) continue;
    if (isQuiet || isContradiction(id, one, other) || isContradiction(id, other, one)) differing.push(id);
  }
  return differing;
}

/**
 * Whether the copies say of a record what cannot both be true: `outer` the same before and after a moment at which `inner` says something
 * else. That may be true of what came and went in between, which no sync result names: then both must have said it twice, in turns. What
 * an outer copy holds has stood all the time, unless it is an occurrence, which may have been cancelled and restored.
 */
function isContradiction(id: string, outer: ClientCopy, inner: ClientCopy): boolean {
  const turns = alternation(outer.momentsOf(id), inner.momentsOf(id)).length;
  const stands = outer.version(id) !== undefined && !outer.isOccurrence(id) && !inner.isOccurrence(id);
  return turns >= (stands ? 3 : 4);
}

function ascending(lines: readonly number[]): readonly number[] {
  return [...new Set(lines)].sort((one, other) => one - other);
}

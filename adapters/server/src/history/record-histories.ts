import { isBefore, type Moment } from './moments.ts';
import type { Findings } from './promises.ts';
import type { SeenRecord } from './record-version.ts';

/** A record as an answer shows it. */
export interface Sight {
  readonly record: SeenRecord;
  readonly moment: Moment;
  /** Whether it is the answer to a write of the client's own. */
  readonly isOwnWrite: boolean;
}

export interface RecordHistoriesOptions {
  /** Whether `updatedAt` says which of two states is the later one. */
  readonly trustsUpdatedAt: boolean;
  /** Whether no one but the clients of the history writes. */
  readonly isOnlyWriter: boolean;
}

/** The states of each record that answers show, in order of their moments. */
export interface RecordHistories {
  see(place: string, sight: Sight): void;
  /** A record was not there at that moment. */
  miss(place: string, id: string, moment: Moment): void;
  /** The client deleted the record, and was told so. */
  deleted(place: string, id: string, moment: Moment): void;
  /** A write whose result no answer shows was sent. */
  disturbed(place: string, id: string, from: number): void;
  /** Something was sent that may have changed any record of a list, or of every one. */
  allDisturbed(place: string | undefined, from: number): void;
  /** No line follows. */
  end(): void;
}

interface SeenVersion {
  readonly record: SeenRecord;
  /** The first sight, and the last one. */
  readonly first: Moment;
  last: Moment;
  readonly isOwnWrite: boolean;
}

interface RecordHistory {
  /** By version, the most recent sight last. */
  readonly versions: Map<string, SeenVersion>;
  /** Contents by etag. */
  readonly contents: Map<string, { readonly content: string; readonly line: number }>;
  deletion: Moment | undefined;
  /** A moment at which it was not there, after a write of the client's own. */
  absence: Moment | undefined;
  /** The last write of the client's own, while nothing else may have changed the record. */
  write: SeenVersion | undefined;
  /** A state that is not as that write left it, unless another write was under way. */
  suspicion: { readonly at: Moment; readonly write: SeenVersion; readonly message: string } | undefined;
}

/** Versions and etags of a record that are kept. */
const MOST_VERSIONS = 8;
const SEVERAL = Symbol('several lists');

export function createRecordHistories(findings: Findings, options: RecordHistoriesOptions): RecordHistories {
  const { trustsUpdatedAt, isOnlyWriter } = options;
  const histories = new Map<string, RecordHistory>();
  /** Keys of histories that may have a write. */
  const written = new Set<string>();
  /** The list in which an event was seen, by iCalUid. */
  const places = new Map<string, string | typeof SEVERAL>();
  const violated = (
    promise: 'read-your-writes' | 'deleted-stays-deleted' | 'no-going-back' | 'etag-tells',
    place: string,
    id: string,
    lines: readonly number[],
    message: string,
  ) => {
    const ascending = [...new Set(lines)].sort((one, other) => one - other);
    findings.violated({ promise, lines: ascending, place, records: [id], message });
  };

  /** Notes that an event is in a list. */
  function placeIn(place: string, { iCalUid }: SeenRecord): void {
    if (iCalUid === undefined) return;
    const known = places.get(iCalUid);
    if (known === undefined) places.set(iCalUid, place);
    else if (known !== place) places.set(iCalUid, SEVERAL);
  }

  /** Whether another account of the history has the event too: its writes and answers change all copies, when the provider gets to it. */
  function isShared({ iCalUid }: SeenRecord): boolean {
    return iCalUid !== undefined && places.get(iCalUid) === SEVERAL;
  }

  function historyOf(place: string, id: string): RecordHistory {
    const key = `${place}\n${id}`;
    const known = histories.get(key);
    if (known !== undefined) return known;
    const history: RecordHistory = {
      versions: new Map(),
      contents: new Map(),
      deletion: undefined,
      absence: undefined,
      write: undefined,
      suspicion: undefined,
    };
    histories.set(key, history);
    return history;
  }

  function compareContent(place: string, { contents }: RecordHistory, { record, moment: { line } }: Sight): void {
    const { id, etag, content } = record;
    if (etag === undefined) return;
    const known = contents.get(etag);
    if (known === undefined) {
      contents.set(etag, { content, line });
      if (contents.size > MOST_VERSIONS) contents.delete(contents.keys().next().value as string);
      return;
    }
    findings.checked('etag-tells');
    if (known.content === content) return;
    contents.set(etag, { content, line });
    violated('etag-tells', place, id, [known.line, line], 'the record has the etag of another content');
  }

  /** Whether a sight shows what had been replaced before; `lines` say by what. */
  function compareOrder(place: string, { versions }: RecordHistory, { record, moment }: Sight): boolean {
    const known = versions.get(record.version);
    for (const newer of versions.values()) {
      if (newer === known) continue;
      const isLater = (sight: Moment) => isBefore(sight, moment);
      if (!isLater(newer.first)) continue;
      findings.checked(newer.isOwnWrite ? 'read-your-writes' : 'no-going-back');
      const replacement =
        known === undefined
          ? undefined
          : [newer.first, newer.last].find((sight) => isBefore(known.first, sight) && isLater(sight));
      const isOlder = trustsUpdatedAt && (record.updatedAt ?? Number.NaN) < (newer.record.updatedAt ?? Number.NaN);
      if (replacement === undefined && !isOlder) continue;
      const lines = [
        ...(known === undefined ? [] : [known.first.line]),
        (replacement ?? newer.first).line,
        moment.line,
      ];
      violated(
        newer.isOwnWrite ? 'read-your-writes' : 'no-going-back',
        place,
        record.id,
        lines,
        newer.isOwnWrite
          ? 'the record is shown as it was before an acknowledged write'
          : 'the record is shown as it was before a change that had been shown',
      );
      return true;
    }
    return false;
  }

  function comparePresence(place: string, history: RecordHistory, { record, moment, isOwnWrite }: Sight): void {
    const { deletion, absence, versions } = history;
    const known = versions.get(record.version);
    if (deletion !== undefined && isBefore(deletion, moment)) {
      findings.checked('deleted-stays-deleted');
      const isOld =
        isOnlyWriter && !isOwnWrite && !isShared(record) ? true : known !== undefined && known.first.to < deletion.to;
      if (isOld) {
        const lines = [deletion.line, moment.line];
        violated('deleted-stays-deleted', place, record.id, lines, 'the record is back as it was before its deletion');
      }
      history.deletion = undefined;
    }
    if (absence !== undefined && isBefore(absence, moment)) {
      if (known?.isOwnWrite && isBefore(known.first, absence)) {
        const lines = [known.first.line, absence.line, moment.line];
        violated('read-your-writes', place, record.id, lines, 'an acknowledged write was missing for a while');
      }
      history.absence = undefined;
    }
  }

  /** Another write may have been under way then, whose line is still to come: what is suspected is told at the end. */
  function suspect({ write, suspicion }: RecordHistory, at: Moment, message: string) {
    if (!isOnlyWriter || write === undefined || suspicion !== undefined || !isBefore(write.first, at)) return undefined;
    return { at, write, message };
  }

  function compareToWrite(history: RecordHistory, { record, moment }: Sight): void {
    const { write } = history;
    if (!isOnlyWriter || write === undefined || !isBefore(write.first, moment)) return;
    findings.checked('read-your-writes');
    if (write.record.version === record.version) return;
    history.suspicion ??= suspect(history, moment, 'the record is not as the last acknowledged write left it');
  }

  function disturbed(place: string, id: string, from: number): void {
    const history = histories.get(`${place}\n${id}`);
    if (history === undefined) {
      // It may be a copy of any event, such as the invitation to a meeting.
      allDisturbed(undefined, from);
      return;
    }
    excuse(history, from);
    history.write = undefined;
  }

  function allDisturbed(place: string | undefined, from: number): void {
    for (const key of written) {
      const [ofPlace = '', id = ''] = key.split('\n');
      if (place !== undefined && ofPlace !== place) continue;
      disturbed(ofPlace, id, from);
      written.delete(key);
    }
  }

  /** A write that was sent before something was seen may be why. */
  function excuse(history: RecordHistory, from: number): void {
    if (history.suspicion !== undefined && from < history.suspicion.at.to) history.suspicion = undefined;
  }

  function keep({ versions }: RecordHistory, { record, moment, isOwnWrite }: Sight, isBack: boolean): SeenVersion {
    const known = isBack ? undefined : versions.get(record.version);
    const next: SeenVersion =
      known === undefined
        ? { record, first: moment, last: moment, isOwnWrite }
        : { ...known, first: moment.to < known.first.to ? moment : known.first, last: moment };
    versions.delete(record.version);
    versions.set(record.version, next);
    // Each violation is told once: what it shows is the present state from here on.
    if (isBack) for (const version of [...versions.keys()]) if (version !== record.version) versions.delete(version);
    if (versions.size > MOST_VERSIONS) versions.delete(versions.keys().next().value as string);
    return next;
  }

  return {
    see(place, sight) {
      const history = historyOf(place, sight.record.id);
      compareContent(place, history, sight);
      placeIn(place, sight.record);
      // The record of an occurrence comes and goes with the exceptions of its series, and its times with it.
      if (sight.record.isOccurrence || sight.record.updatedAt === undefined) return;
      comparePresence(place, history, sight);
      if (sight.isOwnWrite) excuse(history, sight.moment.from);
      else compareToWrite(history, sight);
      const isBack = compareOrder(place, history, sight);
      const kept = keep(history, sight, isBack);
      const { isSeries, isCancelled } = sight.record;
      if (!sight.isOwnWrite) return;
      history.write = isSeries || isCancelled ? undefined : kept;
      written.add(`${place}\n${sight.record.id}`);
    },
    miss(place, id, moment) {
      const history = histories.get(`${place}\n${id}`);
      if (history === undefined || history.deletion !== undefined) return;
      history.absence ??= moment;
      history.suspicion ??= suspect(history, moment, 'the record is missing, though no line deletes it');
    },
    deleted(place, id, moment) {
      if (!histories.has(`${place}\n${id}`)) allDisturbed(undefined, moment.from);
      const history = historyOf(place, id);
      excuse(history, moment.from);
      history.deletion = moment;
      history.absence = undefined;
      history.write = undefined;
    },
    disturbed,
    allDisturbed,
    end() {
      for (const [key, { suspicion }] of histories) {
        if (suspicion === undefined || isShared(suspicion.write.record)) continue;
        const [place = '', id = ''] = key.split('\n');
        const { write, at, message } = suspicion;
        violated('read-your-writes', place, id, [write.first.line, at.line], message);
      }
    },
  };
}

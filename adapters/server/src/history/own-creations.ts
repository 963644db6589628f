import type { Exchange } from './history-line.ts';
import type { Moment } from './moments.ts';
import type { Findings } from './promises.ts';
import type { DroppedRecord, SeenRecord } from './record-version.ts';

/** Records that the clients of the history have created. */
export interface OwnCreations {
  /**
   * Takes a creation; `record` is undefined when it did not succeed. Returns the moment at which the record was created; undefined for
   * a repetition, which is answered as the record was created, whatever it is now.
   */
  take(place: string, exchange: Exchange, record: SeenRecord | undefined, moment: Moment): Moment | undefined;
  /** A further page shows nothing that was created after the first one was answered. */
  comparePage(place: string, records: readonly (SeenRecord | DroppedRecord)[], shown: Moment, firstLine: number): void;
}

interface KeyedCreation {
  readonly sentAt: number;
  readonly answer: { readonly record: SeenRecord; readonly line: number } | undefined;
}

/** How long an Idempotency-Key holds. */
const KEY_LIFETIME_MS = 86_400_000;
const MOST_KEPT = 100_000;

export function createOwnCreations(findings: Findings): OwnCreations {
  const byKey = new Map<string, KeyedCreation>();
  const byId = new Map<string, Moment>();

  function compareRepeated(
    place: string,
    { record: first, line }: NonNullable<KeyedCreation['answer']>,
    record: SeenRecord,
    moment: Moment,
  ): void {
    findings.checked('create-once');
    if (first.id === record.id && first.etag === record.etag) return;
    findings.violated({
      promise: 'create-once',
      lines: [line, moment.line],
      place,
      records: [...new Set([first.id, record.id])],
      message:
        first.id === record.id
          ? 'a creation that was repeated is not answered as the first one was'
          : 'two creations with one Idempotency-Key have created two records',
    });
  }

  return {
    take(place, { idempotencyKey }, record, moment) {
      const key = `${place}\n${idempotencyKey}`;
      const known = idempotencyKey === undefined ? undefined : byKey.get(key);
      const isSame = known !== undefined && moment.to < known.sentAt + KEY_LIFETIME_MS;
      if (isSame && known.answer !== undefined && record !== undefined) {
        compareRepeated(place, known.answer, record, moment);
        return undefined;
      }
      const from = isSame ? known.sentAt : moment.from;
      if (idempotencyKey !== undefined && (!isSame || known.answer === undefined)) {
        const answer = record === undefined ? undefined : { record, line: moment.line };
        remember(byKey, key, { sentAt: from, answer });
      }
      if (record === undefined) return undefined;
      const created = { ...moment, from };
      const id = `${place}\n${record.id}`;
      if (!byId.has(id)) remember(byId, id, created);
      return created;
    },
    comparePage(place, records, shown, firstLine) {
      findings.checked('one-moment');
      const later = records.filter(({ id }) => {
        const created = byId.get(`${place}\n${id}`);
        return created !== undefined && created.from > shown.to;
      });
      if (later.length === 0) return;
      const creations = later.map(({ id }) => byId.get(`${place}\n${id}`)?.line as number);
      findings.violated({
        promise: 'one-moment',
        lines: [...new Set([firstLine, ...creations, shown.line])].sort((one, other) => one - other).slice(-12),
        place,
        records: later.slice(0, 10).map(({ id }) => id),
        message: 'a page shows records that were created after the first page had been answered',
      });
    },
  };
}

function remember<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.set(key, value);
  if (entries.size > MOST_KEPT) entries.delete(entries.keys().next().value as string);
}

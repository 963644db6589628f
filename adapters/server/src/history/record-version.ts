import { createHash } from 'node:crypto';
import { isObject } from './history-line.ts';

/** A record of an answer, as far as promises speak of it. */
export interface SeenRecord {
  readonly id: string;
  /** Equal for two sights exactly when all shown fields are. */
  readonly version: string;
  readonly etag: string | undefined;
  /** As `version`, without the time of the last change: what the etag stands for. */
  readonly content: string;
  /** The same in every mailbox that has the event. */
  readonly iCalUid: string | undefined;
  /** Milliseconds since 1970. */
  readonly updatedAt: number | undefined;
  /** Whether it belongs to a series. Its record may come and go with the exceptions of the series. */
  readonly isOccurrence: boolean;
  readonly isSeries: boolean;
  readonly isCancelled: boolean;
}

/** A record that tells the client to drop its own. */
export interface DroppedRecord {
  readonly id: string;
  readonly isDeleted: true;
}

/** Reads a record of an answer; undefined when it is none. */
export function readRecord(value: unknown): SeenRecord | DroppedRecord | undefined {
  if (!isObject(value) || typeof value['id'] !== 'string') return undefined;
  const { id, etag, updatedAt, ...rest } = value;
  if (rest['isDeleted'] === true) return { id, isDeleted: true };
  const content = hashOf(canonical({ ...rest, etag: undefined }));
  const time = typeof updatedAt === 'string' ? Date.parse(updatedAt) : Number.NaN;
  return {
    id,
    version: hashOf(`${content} ${etag} ${updatedAt}`),
    etag: typeof etag === 'string' ? etag : undefined,
    content,
    iCalUid: typeof rest['iCalUid'] === 'string' ? rest['iCalUid'] : undefined,
    updatedAt: Number.isNaN(time) ? undefined : time,
    isOccurrence: rest['recurringEventId'] !== undefined || rest['isException'] === true,
    isSeries: rest['isRecurring'] === true,
    isCancelled: rest['isCancelled'] === true,
  };
}

/** Returns a short hash of a text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Prints a value with sorted members. The zone in which a time is shown is the reader's choice: an instant is its milliseconds. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const { dateTime } = value;
  if (typeof dateTime === 'string') return /(?:Z|[+-]\d\d:\d\d)$/.test(dateTime) ? `${Date.parse(dateTime)}` : dateTime;
  const members = Object.keys(value).filter((name) => value[name] !== undefined);
  return `{${members
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
    .join()}}`;
}

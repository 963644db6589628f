import { hash } from 'node:crypto';
import { createYieldToEventLoop } from '../../runtime/index.ts';
import { type AnswerReader, recordsOf } from '../read/answer-reader.ts';
import type { EventFilters } from '../read/event-filters.ts';
import { recordEtag } from '../read/event-presenter.ts';
import type { EventRecord } from '../read/group-records.ts';
import type { RecordChange } from './sync-page.ts';

/*
 * The digest of a list is the sum, modulo 2^128, of one hash for each record: the first 16 bytes of SHA-256 of its id, a zero byte
 * and its etag. Neither contains a zero byte. docs/digest.md is the description for clients.
 */

const BITS = 128;
const DIGITS = BITS / 4;
/** A hash of an id and etag, in steps of a turn of the event loop. */
const STEPS_PER_RECORD = 2;

/** Digest of a list without records. */
export const EMPTY_DIGEST = '0'.repeat(DIGITS);

/** Returns a digest after a page of records, or of changes, has been applied to what it was the digest of. */
export async function advancedDigest(digest: string, changes: readonly RecordChange[], lane: string): Promise<string> {
  const yieldToEventLoop = createYieldToEventLoop(lane);
  let sum = BigInt(`0x${digest}`);
  for (const { kind, record, replaced } of changes) {
    sum += kind === 'present' ? hashOf(record) : -hashOf(record);
    if (replaced !== undefined) sum -= hashOf(replaced);
    const pause = yieldToEventLoop(STEPS_PER_RECORD);
    if (pause !== undefined) await pause;
  }
  return textOf(sum);
}

/** Returns the digest of a whole list, which is read chunk by chunk. */
export async function digestOfList(reader: AnswerReader, filters: EventFilters): Promise<string> {
  const yieldToEventLoop = createYieldToEventLoop(reader.lane);
  let sum = 0n;
  for await (const groups of reader.chunks(filters)) {
    for (const group of groups) {
      for (const record of recordsOf(group, filters)) {
        sum += hashOf(record);
        const pause = yieldToEventLoop(STEPS_PER_RECORD);
        if (pause !== undefined) await pause;
      }
    }
  }
  return textOf(sum);
}

function hashOf(record: EventRecord): bigint {
  return BigInt(`0x${hash('sha256', `${record.id}\0${recordEtag(record)}`, 'hex').slice(0, DIGITS)}`);
}

function textOf(sum: bigint): string {
  return BigInt.asUintN(BITS, sum).toString(16).padStart(DIGITS, '0');
}

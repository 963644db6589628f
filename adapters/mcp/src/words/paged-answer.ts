import { Buffer } from 'node:buffer';
import { ToolRefusal } from '../tool-refusal.ts';
import { DATA_NOTE, quoted } from './quoted.ts';

/** An entry of a list. Keys are unique, and the list is sorted by them. */
export interface AnswerEntry {
  readonly key: string;
  readonly lines: readonly string[];
}

export interface ListAnswer {
  readonly header: string;
  /** Lines on each page, below the note about data. @default none */
  readonly notes?: readonly string[];
  readonly entries: readonly AnswerEntry[];
  /** Line of an empty list: what to try next. */
  readonly empty: string;
  readonly pageToken: string | undefined;
  readonly tokenBudget: number;
}

/** Bytes of a token, on the safe side: English has about four. */
const BYTES_PER_TOKEN = 3;

/** Returns about how many tokens of a model a text takes. */
export function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Joins entries to an answer within a budget: at least one, and as many as fit. Says what is left out and how to get it. */
export function pagedAnswer({ header, notes = [], entries, empty, pageToken, tokenBudget }: ListAnswer): string {
  const top = [header, DATA_NOTE, ...notes];
  if (entries.length === 0) return [...(notes.length === 0 ? [header] : top), empty].join('\n');
  const after = pageToken === undefined ? undefined : keyOf(pageToken);
  const first = after === undefined ? 0 : entries.findIndex(({ key }) => key > after);
  if (first < 0) return `${header}\nNo more entries: that was the last page.`;
  const texts: string[] = [];
  let spent = estimatedTokens(top.join('\n'));
  let last: AnswerEntry | undefined;
  for (const entry of entries.slice(first)) {
    const text = entry.lines.join('\n');
    spent += estimatedTokens(text);
    if (last !== undefined && spent > tokenBudget) break;
    texts.push(text);
    last = entry;
  }
  const left = entries.length - first - texts.length;
  const footer =
    left === 0 || last === undefined
      ? []
      : [`${left} more are left out. For the next ones repeat the call with pageToken ${quoted(tokenOf(last.key))}.`];
  return [...top, ...texts, ...footer].join('\n');
}

function tokenOf(key: string): string {
  return Buffer.from(key).toString('base64url');
}

function keyOf(pageToken: string): string {
  const key = Buffer.from(pageToken, 'base64url').toString();
  if (tokenOf(key) === pageToken && key !== '') return key;
  throw new ToolRefusal('pageToken is not one of this server. Repeat the call without it for the first page.');
}

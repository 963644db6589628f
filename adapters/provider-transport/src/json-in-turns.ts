import { readJson } from 'kalends/ports';
import { nextTurn } from 'kalends/runtime';
import { listEnd, pieceEnd, skipSpace, valueEnd } from './json-scan.ts';

/** Characters that are parsed in one turn of the event loop: about 10 ms. */
const PER_TURN = 1_000_000;
/** Depth to which long values are parsed in parts. Answers need four; scans of ever deeper ones would take quadratic time. */
const DEEPEST = 8;

/**
 * Parses JSON as `readJson` does, a long text in parts, each in its own turn of the event loop. Only a single number, name or
 * deeply nested value that is long takes a long turn. A worker thread does not help: taking over its result costs this thread
 * more than the parse.
 * @throws SyntaxError for a text that is not JSON
 */
export async function readJsonInTurns(text: string, perTurn = PER_TURN): Promise<unknown> {
  if (text.length <= perTurn) return readJson(text);
  let at = skipSpace(text, 0);

  /** Parses up to `end`, between the given brackets. */
  async function parse(end: number, open = '', close = ''): Promise<unknown> {
    await nextTurn();
    const value = readJson(`${open}${text.slice(at, end)}${close}`);
    at = end;
    return value;
  }

  function take(sign: string): void {
    at = skipSpace(text, at);
    if (text[at] !== sign) throw new SyntaxError(`not JSON: no ${sign} at position ${at}`);
    at = skipSpace(text, at + 1);
  }

  async function readValue(depth: number): Promise<unknown> {
    const end = valueEnd(text, at, at + perTurn);
    if (end !== undefined) return await parse(end);
    if (text[at] === '"') return await readString();
    if (text[at] === '[' && depth < DEEPEST) return await readArray(depth);
    if (text[at] === '{' && depth < DEEPEST) return await readObject(depth);
    return await parse(valueEnd(text, at, text.length) ?? text.length);
  }

  async function readString(): Promise<string> {
    const pieces: unknown[] = [];
    at += 1;
    while (at < text.length && text[at] !== '"') pieces.push(await parse(pieceEnd(text, at, at + perTurn), '"', '"'));
    take('"');
    return pieces.join('');
  }

  async function readArray(depth: number): Promise<unknown[]> {
    const items: unknown[] = [];
    await readList('[', ']', async (end) => {
      if (end === undefined) items.push(await readValue(depth + 1));
      else for (const item of (await parse(end, '[', ']')) as unknown[]) items.push(item);
    });
    return items;
  }

  async function readObject(depth: number): Promise<object> {
    const members: [string, unknown][] = [];
    await readList('{', '}', async (end) => {
      if (end === undefined) members.push([await readName(), await readValue(depth + 1)]);
      else for (const member of Object.entries((await parse(end, '{', '}')) as object)) members.push(member);
    });
    return Object.fromEntries(members);
  }

  async function readName(): Promise<string> {
    if (text[at] !== '"') throw new SyntaxError(`not JSON: no name at position ${at}`);
    const name = await readString();
    take(':');
    return name;
  }

  /** Reads the members of a list. @param readMembers reads all up to `end`, or where it is undefined one that is long */
  async function readList(open: string, close: string, readMembers: (end: number | undefined) => Promise<void>) {
    take(open);
    for (let isFirst = true; !isFirst || text[at] !== close; isFirst = false) {
      if (!isFirst) take(',');
      const end = listEnd(text, at, at + perTurn);
      if (end === at) throw new SyntaxError(`not JSON: nothing at position ${at}`);
      await readMembers(end);
      at = skipSpace(text, at);
      if (text[at] === close) break;
    }
    take(close);
  }

  const value = await readValue(0);
  if (skipSpace(text, at) < text.length) throw new SyntaxError(`not JSON: more at position ${at}`);
  return value;
}

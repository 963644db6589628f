import fc from 'fast-check';
import { readJson } from 'kalends/ports';
import { expect, test } from 'vitest';
import { readJsonInTurns } from '../src/json-in-turns.ts';

/** Outcome of a parse: the value, or that the text is not JSON. */
async function outcomeOf(parse: () => unknown): Promise<unknown> {
  try {
    return { value: await parse() };
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return 'not JSON';
  }
}

/** JSON with escapes where they are not needed, and with white space. */
const texts = fc
  .tuple(
    fc.oneof(
      fc.json({ maxDepth: 12 }),
      fc.json({ stringUnit: 'binary' }),
      fc.array(fc.string({ unit: 'binary' })).map((strings) => JSON.stringify(strings)),
    ),
    fc.constantFrom('', ' ', '\n\t', '\r\n   '),
    fc.boolean(),
  )
  .map(([text, space, isEscaped]) => {
    const spaced = space === '' ? text : JSON.stringify(JSON.parse(text), undefined, space);
    return isEscaped ? spaced.replace(/[^ -~\s]/g, escaped) : `${space}${spaced}${space}`;
  });

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const perTurn = fc.integer({ min: 1, max: 40 });

test('a text is parsed as in one piece, wherever it is cut', async () => {
  const property = fc.asyncProperty(texts, perTurn, async (text, size) => {
    expect(await readJsonInTurns(text, size)).toEqual(readJson(text));
  });
  await fc.assert(property, { numRuns: 1_000 });
});

test('a text that is not JSON is refused as in one piece', async () => {
  const change = fc.record({ at: fc.nat(), remove: fc.nat(2), insert: fc.constantFrom(...'{}[]",:\\0ud8 1n', '') });
  const property = fc.asyncProperty(texts, change, perTurn, async (text, { at, remove, insert }, size) => {
    // Of whole characters: a text that was decoded from bytes has no lone surrogates, except in escapes.
    const characters = [...text];
    characters.splice(at % (characters.length + 1), remove, insert);
    const changed = characters.join('');
    expect(await outcomeOf(() => readJsonInTurns(changed, size))).toEqual(await outcomeOf(() => readJson(changed)));
  });
  await fc.assert(property, { numRuns: 2_000 });
});

test.each([
  ['an array in an array', '[[]]'],
  ['a list of empty lists', `[${'[],'.repeat(50)}{}]`],
  ['repeated names', `{${'"a":1,'.repeat(20)}"a":"${'x'.repeat(50)}","a":2}`],
  ['a name that is a setter', `{"__proto__":{"x":"${'x'.repeat(50)}"},"b":1}`],
  ['nothing between commas', `["${'x'.repeat(50)}",,"${'x'.repeat(50)}"]`],
  ['a comma at the end', `["${'x'.repeat(50)}",]`],
  ['a comma at the beginning', `[,"${'x'.repeat(50)}"]`],
  ['two values', `"${'x'.repeat(50)}" "${'x'.repeat(50)}"`],
  ['a text that ends early', `{"a":["${'x'.repeat(50)}`],
  ['a text that ends in an escape', `["${'x'.repeat(50)}\\u00`],
  ['no name', `{${'1'.repeat(50)}:1}`],
  ['brackets that do not match', `[{"a":"${'x'.repeat(50)}"]}`],
  ['white space only', ' '.repeat(50)],
  ['a number', `${' '.repeat(50)}${'7'.repeat(300)}`],
  ['pairs of surrogates in escapes', `["${'\\ud83d\\ude00'.repeat(50)}\\ude00"]`],
  ['a deep list', `${'['.repeat(200)}1${']'.repeat(200)}`],
])('%s', async (_name, text) => {
  for (let size = 1; size <= 30; size += 1) {
    expect(await outcomeOf(() => readJsonInTurns(text, size))).toEqual(await outcomeOf(() => readJson(text)));
  }
});

test.each([
  ['one long string', JSON.stringify({ items: [{ description: '\r\n'.repeat(5_000_000) }] })],
  ['many objects', JSON.stringify({ items: Array.from({ length: 300_000 }, (_, id) => ({ id, at: { date: 'x' } })) })],
])('%s is parsed in turns of the event loop', async (_name, text) => {
  let turns = 0;
  let isReading = true;
  const count = () => {
    turns += 1;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  const value = await readJsonInTurns(text);
  isReading = false;
  expect(turns).toBeGreaterThan(text.length / 1_500_000);
  expect(JSON.stringify(value) === text).toBe(true);
});

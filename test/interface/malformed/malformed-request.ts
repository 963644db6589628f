import type { Dice } from '../../simulation/dice.ts';
import { type DocumentedOperation, filledPath } from '../documents/operations.ts';
import { sampleOf } from '../documents/sample.ts';
import { withOneBitChanged } from '../steps.ts';
import { oddText, oddValue } from './oddities.ts';

/** The interface that requests are drawn for. */
export interface Subject {
  /** Ids that exist, by the name of the path parameter. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  /** Ids for operations that end what they name; they may be gone after a while. */
  readonly spare: Readonly<Record<string, string>>;
  readonly credential: readonly [string, string];
  /** Tokens that answers gave out. */
  readonly tokens: readonly string[];
  /** Texts that are right for a field. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

export interface MalformedRequest {
  readonly operation: DocumentedOperation;
  /** Whether the path is the operation's for sure: an odd id may lead elsewhere. */
  readonly isRouted: boolean;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** Operations that end what the last id of their path names. */
const ENDS =
  /^(delete(EndUserAccount|Application|Account|Calendar|WebhookEndpoint)|expireAccount|revokeApiKey|removeOAuthClient)$/;
/** Methods that no operation has. */
const OTHER_METHODS = ['PATCH', 'OPTIONS', 'HEAD', 'QUERY'];

/** Draws a request that is right but for one to three things; in one of twenty, but for nothing. */
export function malformedRequest(operation: DocumentedOperation, subject: Subject, dice: Dice): MalformedRequest {
  const faults = new Set(Array.from({ length: dice.chance(0.05) ? 0 : dice.between(1, 3) }, () => dice.pick(FAULTS)));
  const { target, isRouted } = targetOf(operation, subject, faults, dice);
  const method = faults.has('method') ? dice.pick(OTHER_METHODS) : operation.method;
  const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(operation, subject, faults, dice);
  const headers = headersOf(operation, subject, faults, dice, body !== undefined);
  return { operation, isRouted: isRouted && method === operation.method, method, target, headers, body };
}

const FAULTS = ['id', 'query', 'query', 'header', 'field', 'field', 'field', 'whole', 'bytes', 'method'] as const;
type Faults = ReadonlySet<(typeof FAULTS)[number]>;

function targetOf(operation: DocumentedOperation, { ids, spare, tokens, texts }: Subject, faults: Faults, dice: Dice) {
  const { inPath, id } = operation;
  const spoilt = faults.has('id') ? dice.pick([...inPath, undefined]) : undefined;
  let isRouted = true;
  const path = filledPath(operation.path, (name) => {
    if (name === spoilt) {
      const odd = oddText(dice);
      // Empty, dots and slashes are other paths.
      isRouted = isRouted && !/^\.{0,2}$/.test(odd);
      return odd;
    }
    const own = ENDS.test(id) && name === inPath.at(-1) ? spare[name] : undefined;
    return own ?? dice.pick(ids[name] ?? ['none']);
  });
  const names = operation.inQuery.filter(() => dice.chance(faults.has('query') ? 0.2 : 0.05));
  const given = names.map((name): [string, string] => {
    if (/Token$/.test(name) && tokens.length > 0 && dice.chance(0.5)) return [name, tokenOf(tokens, dice)];
    return [name, faults.has('query') ? oddText(dice) : dice.pick(texts[name] ?? ['1'])];
  });
  if (faults.has('query') && dice.chance(0.2))
    given.push([dice.pick(['x', '__proto__', 'limit', oddText(dice)]), oddText(dice)]);
  if (faults.has('query') && given[0] !== undefined && dice.chance(0.1)) given.push(given[0]);
  const broken = faults.has('query') && dice.chance(0.05) ? dice.pick(['&%', '&%zz=%ff', '&=', '&&', '&a=%c3%28']) : '';
  const query = `${new URLSearchParams(given)}${broken}`;
  return { target: query === '' ? path : `${path}?${query}`, isRouted };
}

function tokenOf(tokens: readonly string[], dice: Dice): string {
  const token = dice.pick(tokens);
  return dice.pick([
    token,
    withOneBitChanged(token),
    token.slice(0, -1),
    `${token}A`,
    token.toUpperCase(),
    token.slice(5),
  ]);
}

function headersOf(
  { operation, id }: DocumentedOperation,
  { credential }: Subject,
  faults: Faults,
  dice: Dice,
  hasBody: boolean,
): [string, string][] {
  const headers: [string, string][] = [[credential[0], credential[1]]];
  if (hasBody) headers.push(['content-type', 'application/json']);
  const names = (operation.parameters ?? []).filter((one: { in: string }) => one.in === 'header');
  for (const { name } of names) if (dice.chance(0.2)) headers.push([name, headerText(dice)]);
  if (!faults.has('header')) return headers;
  dice.pick([
    () =>
      headers.push([
        dice.pick(['if-match', 'if-none-match', 'idempotency-key', 'x-request-id', 'cookie', 'accept']),
        headerText(dice),
      ]),
    () => headers.splice(0, 1, [credential[0], dice.pick(['', 'x', 'Bearer', `${credential[1]}x`, headerText(dice)])]),
    () => headers.splice(0, 1),
    () => headers.push(['content-length', dice.pick(['-1', '0', '1', '99999999999', 'x'])]),
    () =>
      hasBody &&
      headers.splice(1, 1, [
        'content-type',
        dice.pick(['', 'x', 'text/plain', 'application/json; charset=utf-16', 'application/xml', headerText(dice)]),
      ]),
    () => hasBody && headers.splice(1, 1),
    () => headers.push([`x-${id}`.toLowerCase(), 'x'.repeat(10_000)]),
  ])();
  return headers;
}

/** Header values are bytes without line ends. */
function headerText(dice: Dice): string {
  return Buffer.from(oddText(dice), 'utf8')
    .toString('latin1')
    .replace(/[\0\r\n]/g, '?')
    .trim();
}

function bodyOf(
  { bodySchema }: DocumentedOperation,
  { texts }: Subject,
  faults: Faults,
  dice: Dice,
): Uint8Array<ArrayBuffer> | undefined {
  if (bodySchema === undefined && !faults.has('whole') && !faults.has('bytes')) return undefined;
  let value: unknown = bodySchema === undefined ? {} : sampleOf(bodySchema, '', dice, texts);
  if (faults.has('field'))
    for (let count = dice.between(1, 2); count > 0; count--) value = spoiltAt(value, bodySchema, dice);
  if (faults.has('whole')) value = oddValue(dice);
  const json = JSON.stringify(value);
  return faults.has('bytes') ? spoiltBytes(json, dice) : Buffer.from(json);
}

/** Replaces, removes or adds one part of a value, at any depth. */
function spoiltAt(value: unknown, schema: DocumentedOperation['bodySchema'], dice: Dice): unknown {
  if (typeof value !== 'object' || value === null || dice.chance(0.05)) return oddValue(dice);
  if (Array.isArray(value)) {
    if (value.length === 0 || dice.chance(0.2)) return [...value, oddValue(dice)];
    const place = dice.below(value.length);
    return value.map((part, index) => (index === place ? spoiltAt(part, schema?.items, dice) : part));
  }
  const known = Object.keys(schema?.properties ?? {});
  const names = dice.chance(0.6) && known.length > 0 ? known : Object.keys(value);
  const name = names.length === 0 || dice.chance(0.1) ? oddText(dice) : dice.pick(names);
  const { [name]: part, ...others } = value as Record<string, unknown>;
  if (dice.chance(0.1)) return others;
  const spoilt =
    dice.chance(0.5) && typeof part === 'object' ? spoiltAt(part, schema?.properties?.[name], dice) : oddValue(dice);
  return Object.fromEntries([...Object.entries(others), [name, spoilt]]);
}

function spoiltBytes(json: string, dice: Dice): Uint8Array<ArrayBuffer> {
  const text = dice.pick([
    () => json.slice(0, dice.below(json.length + 1)),
    () => `${json}${dice.pick(['}', ',', '\0', json])}`,
    () => json.replace('{', '{"title":1,"name":[],"email":{},'),
    () => json.replace('{', '{"__proto__":{"admin":true},"\\ud800":"\\udc00\\ud800",'),
    () => `{"title":${dice.pick(['1e999', '-1e999', '01', '+1', '.5', '0x1', "'x'", 'NaN', '"\\x"', '"\t"'])}}`,
    () => `${'[{"a":'.repeat(dice.between(1, 20_000))}`,
    () => `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    () => `{"title":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
    () => `{"title":"${'x'.repeat(dice.pick([262_000, 262_200, 400_000]))}"}`,
    () => `﻿${json}`,
    () => dice.pick(['', ' ', '\n', 'null', '"', '<xml/>', 'a=b&c=d', '\0']),
  ])();
  const bytes = Buffer.from(text);
  if (bytes.length === 0 || dice.chance(0.7)) return bytes;
  // Bytes that are no UTF-8.
  bytes[dice.below(bytes.length)] = dice.pick([0xff, 0xc0, 0x80, 0xed, 0xf8]);
  return bytes;
}

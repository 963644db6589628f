import { isResource, operationOf, pathOf } from './operation.ts';
import { INTERFACE_ROOT, placeholder } from './placeholder.ts';
import { type Exchange, isObject, type Json, type JsonObject, parseBody } from './transcript.ts';
import { EXPRESSIONS, isVocabulary, KEYED_BY_DATA } from './vocabulary.ts';

/** A request and its answer as they were on the wire. */
export interface RawExchange {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Headers;
  readonly requestBody: string;
  /** Milliseconds from the start of the recording to that of the request. */
  readonly at: number;
  readonly group: number;
  /** 0 when no answer came. */
  readonly status: number;
  readonly responseHeaders: Headers;
  readonly responseBody: string;
}

/** Replaces everything about an account. One value gets one placeholder, so that ids still connect what belongs together. */
export interface Scrubber {
  exchange(raw: RawExchange): Exchange;
  json(value: Json, key: string): Json;
}

const REQUEST_HEADERS = ['content-type', 'if-match', 'if-none-match'];
const RESPONSE_HEADERS = ['content-type', 'etag', 'retry-after'];

const ADDRESS = /^[^\s@]+@[^\s@]+$/;
const TAG = /^(W\/)?"(.*)"$/s;
/** An instance's id at Google: that of its series, and its slot. */
const INSTANCE_ID = /^(.+)(_\d{8}(?:T\d{6}Z)?)$/s;
/** The name of a slot at Microsoft: the id of its series, and its date. */
const SLOT_NAME = /^OID\.(.+)(\.\d{4}-\d{2}-\d{2})$/s;
/** Ends of lines, in text and in HTML, and the rules that a service draws between a text and its own block. */
const LINES = /(\r?\n|<br>|_{8,})/;
const KEY = /^(?:@removed|(?:[A-Za-z]{1,40})?@odata\.[A-Za-z.]{1,30}|[A-Za-z][A-Za-z0-9_]{0,40})$/;
const QUOTED = /'((?:[^']|'')*)'/g;

/**
 * Creates a scrubber that keeps what is known to be harmless and replaces the rest: strings remain only if they are words of the
 * interface, times, zones or rules; headers only if they are named here. Numbers and booleans remain.
 */
export function createScrubber(): Scrubber {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();

  /** Returns the placeholder of a value; the key under which the value is first seen names it. */
  function replaced(value: string, key: string): string {
    const found = known.get(value);
    if (found !== undefined) return found;
    const kind = key.replace(/[^A-Za-z]/g, '').slice(0, 40) || 'value';
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    const made = placeholder(kind, number);
    known.set(value, made);
    return made;
  }

  function scrubText(text: string, key: string): string {
    if (isVocabulary(text)) return text;
    const tag = TAG.exec(text);
    if (tag !== null) return `${tag[1] ?? ''}"${replaced(tag[2] ?? '', key)}"`;
    const instance = INSTANCE_ID.exec(text);
    if (instance !== null) return `${scrubText(instance[1] ?? '', key)}${instance[2]}`;
    const slot = SLOT_NAME.exec(text);
    if (slot !== null) return `OID.${scrubText(slot[1] ?? '', key)}${slot[2]}`;
    if (/^https?:\/\//.test(text)) return scrubLink(text, key);
    if (ADDRESS.test(text) && !/uid/i.test(key)) return `${replaced(text.toLowerCase(), 'person')}@redacted.invalid`;
    // Line by line: a service may put a text of the suite above a block of its own.
    return text
      .split(LINES)
      .map((part) => (part === '' || LINES.test(part) ? part : replaced(part, key)))
      .join('');
  }

  /** Keeps the form of links into the interface, which clients follow; other links lead nowhere. */
  function scrubLink(text: string, key: string): string {
    if (!/(?:next|delta)Link$/.test(key) || !URL.canParse(text)) {
      return `${text.startsWith('https') ? 'https' : 'http'}://redacted.invalid/${replaced(text, key)}`;
    }
    const url = new URL(text);
    const query = new URLSearchParams(scrubQuery(url));
    return `${INTERFACE_ROOT}${scrubPath(pathOf(url)).map(encodeURIComponent).join('/')}?${query}`;
  }

  const scrubPath = (path: readonly string[]): readonly string[] =>
    path.map((segment) => (isResource(segment) ? segment : scrubText(segment, 'id')));

  function scrubQuery(url: URL): Record<string, string> {
    return Object.fromEntries(
      [...url.searchParams].map(([name, value]) => {
        const key = scrubKey(name.replace(/^\$/, ''));
        if (!EXPRESSIONS.has(name)) return [name.startsWith('$') ? `$${key}` : key, scrubValue(value, key)];
        return [name, value.replace(QUOTED, (_, literal: string) => `'${scrubText(literal, 'literal')}'`)];
      }),
    );
  }

  /** Keeps truth values, and numbers that are sizes of pages; any other number may be the account's. */
  const scrubValue = (value: string, key: string) =>
    /^(?:true|false)$/.test(value) || (/^(?:max[A-Z]\w*|top|skip)$/.test(key) && /^\d+$/.test(value))
      ? value
      : scrubText(value, key);

  const scrubKey = (key: string) => (KEY.test(key) ? key : replaced(key, 'key'));

  function scrubJson(value: Json, key: string): Json {
    if (typeof value === 'string') return scrubText(value, key);
    if (Array.isArray(value)) return value.map((item: Json) => scrubJson(item, key));
    return isObject(value) ? scrubObject(value, key) : value;
  }

  /** Replaces keys that are data; neither they nor their values lend placeholders a name. */
  function scrubObject(value: JsonObject, key: string): JsonObject {
    const isOwn = (name: string) => !KEYED_BY_DATA.has(key) && KEY.test(name);
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) =>
        isOwn(name) ? [name, scrubJson(member, name)] : [replaced(name, 'key'), scrubJson(member, 'value')],
      ),
    );
  }

  const scrubHeaders = (headers: Headers, names: readonly string[]) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = headers.get(name)?.split(';')[0];
        return value === undefined ? [] : [[name, scrubText(value, name)]];
      }),
    );

  return {
    json: scrubJson,
    exchange({ method, url: text, at, group, status, ...raw }) {
      const url = new URL(text);
      const path = pathOf(url);
      return {
        operation: operationOf(method, path),
        at,
        group,
        path: scrubPath(path),
        query: scrubQuery(url),
        requestHeaders: scrubHeaders(raw.requestHeaders, REQUEST_HEADERS),
        requestBody: scrubJson(parseBody(raw.requestBody, raw.requestHeaders.get('content-type')), 'body'),
        status,
        responseHeaders: scrubHeaders(raw.responseHeaders, RESPONSE_HEADERS),
        responseBody: scrubJson(parseBody(raw.responseBody, raw.responseHeaders.get('content-type')), 'body'),
      };
    },
  };
}

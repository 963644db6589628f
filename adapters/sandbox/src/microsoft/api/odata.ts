import { GraphError, invalidRequest } from './graph-error.ts';
import { type GraphRequest, readCount } from './graph-request.ts';
import { compareValues, type JsonRecord, type Predicate, parseFilter, valueAt } from './odata-filter.ts';

/** One name of `$expand` with its own options. */
export interface Expansion {
  readonly filter: Predicate | null;
  readonly select: ReadonlySet<string> | null;
  readonly expand: ReadonlyMap<string, Expansion>;
  /** The options as text, for links to further pages. */
  readonly query: Readonly<Record<string, string>>;
}

/** The properties that an answer shows. */
export interface Projection {
  readonly select: ReadonlySet<string> | null;
  readonly expand: ReadonlyMap<string, Expansion>;
}

/** Splits at a separator outside parentheses and quotes. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  let quoted = false;
  for (const character of text) {
    if (character === "'") quoted = !quoted;
    if (!quoted && character === '(') depth += 1;
    if (!quoted && character === ')') depth -= 1;
    if (character === separator && depth === 0 && !quoted) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

const parseSelect = (text: string | null): ReadonlySet<string> | null =>
  text === null || text.trim() === ''
    ? null
    : new Set(splitOutside(text, ',').map((name) => name.replace(/\/.*$/s, '')));

function parseExpand(text: string | null): ReadonlyMap<string, Expansion> {
  const expansions = new Map<string, Expansion>();
  for (const part of splitOutside(text ?? '', ',')) {
    const [, name, parameters = ''] = /^(\w+)(?:\((.*)\))?$/s.exec(part) ?? [];
    if (name === undefined) {
      throw new GraphError(400, 'BadRequest', `Parsing OData Select and Expand failed: '${part}'.`);
    }
    const options = new Map(
      splitOutside(parameters, ';').map((option) => {
        const at = option.indexOf('=');
        return [option.slice(0, at).trim(), option.slice(at + 1).trim()] as const;
      }),
    );
    const filter = options.get('$filter');
    expansions.set(name, {
      filter: filter === undefined ? null : parseFilter(filter),
      select: parseSelect(options.get('$select') ?? null),
      expand: parseExpand(options.get('$expand') ?? null),
      query: Object.fromEntries(options),
    });
  }
  return expansions;
}

/** Reads `$select` and `$expand` of a query. @throws GraphError 400 for bad syntax */
export function readProjection(query: URLSearchParams): Projection {
  return { select: parseSelect(query.get('$select')), expand: parseExpand(query.get('$expand')) };
}

/** Keeps the properties of `$select` with their annotations, the id and the annotations of the entity. */
export function project<T extends object>(item: T, select: ReadonlySet<string> | null, expanded: Iterable<string>): T {
  if (select === null) return item;
  const kept = new Set([...select, ...expanded, 'id', '@odata.etag', '@odata.type', '@odata.context']);
  const isKept = (name: string): boolean => kept.has(name) || kept.has(name.replace(/@.*$/s, ''));
  return Object.fromEntries(Object.entries(item).filter(([name]) => isKept(name))) as T;
}

type Order = (left: JsonRecord, right: JsonRecord) => number;

function parseOrder(text: string): Order {
  const keys = splitOutside(text, ',').map((part) => {
    const [path = '', direction = 'asc'] = part.split(/\s+/);
    if (direction !== 'asc' && direction !== 'desc') throw invalidRequest(`Invalid $orderby '${part}'.`);
    return { path, sign: direction === 'desc' ? -1 : 1 };
  });
  return (left, right) => {
    for (const { path, sign } of keys) {
      const order = compareValues(valueAt(left, path), valueAt(right, path));
      if (order !== 0) return sign * order;
    }
    return 0;
  };
}

const DEFAULT_PAGE = 10;
const LARGEST_PAGE = 1000;

/** Returns the page size of a list: `$top`, else the preference, else 10. @throws GraphError 400 for more than 1000 */
function pageSizeOf(graph: GraphRequest): number {
  const top = readCount(graph.query, '$top');
  if (top !== null && (top < 1 || top > LARGEST_PAGE)) {
    throw invalidRequest(`The value '${top}' for $top is out of range: it must be from 1 to ${LARGEST_PAGE}.`);
  }
  return top ?? Math.min(Math.max(graph.prefer.maxPageSize ?? DEFAULT_PAGE, 1), LARGEST_PAGE);
}

/** Returns an absolute link to this path with another query. */
function linkTo(graph: GraphRequest, query: URLSearchParams): string {
  return `${graph.root}/v1.0/${graph.rawPath}?${query}`;
}

/**
 * A page of a list: filtered and ordered on whole records, then skipped, cut and only then finished.
 * The next link skips by number, so a list that changes between two pages shows it, as Graph's do.
 */
export function listAnswer<T>(
  graph: GraphRequest,
  items: readonly T[],
  record: (item: T) => object,
  finish: (item: T) => object,
): object {
  const { query } = graph;
  const fitting = arranged(items, record, query.get('$filter'), query.get('$orderby'));
  const size = pageSizeOf(graph);
  const skip = readCount(query, '$skip') ?? 0;
  const following = new URLSearchParams(query);
  following.set('$skip', String(skip + size));
  return {
    '@odata.context': `${graph.root}/v1.0/$metadata#${graph.rawPath.split('/').at(-1)}`,
    ...(query.get('$count') === 'true' ? { '@odata.count': fitting.length } : {}),
    value: fitting.slice(skip, skip + size).map(finish),
    ...(skip + size < fitting.length ? { '@odata.nextLink': linkTo(graph, following) } : {}),
  };
}

function arranged<T>(
  items: readonly T[],
  record: (item: T) => object,
  filter: string | null,
  orderBy: string | null,
): readonly T[] {
  if (!filter && !orderBy) return items;
  const predicate = filter ? parseFilter(filter) : () => true;
  const records = items
    .map((item) => ({ item, shown: record(item) as JsonRecord }))
    .filter(({ shown }) => predicate(shown));
  if (orderBy) {
    const order = parseOrder(orderBy);
    records.sort((left, right) => order(left.shown, right.shown));
  }
  return records.map(({ item }) => item);
}

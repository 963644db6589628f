import { identityOf, type Labels } from './item-labels.ts';
import { isObject, type Json, type JsonObject } from './transcript.ts';

export interface ShapeDifference {
  readonly kind: 'type' | 'key' | 'items' | 'order';
  readonly place: string;
  readonly live: string;
  readonly sandbox: string;
}

/** One side of a comparison. */
interface Side {
  readonly body: Json;
  readonly labels: Labels;
}

/** Members that hold the items of a list. */
const LISTS: ReadonlySet<string> = new Set(['items', 'value']);

/** Compares the JSON types and keys of two answers, recursively, and the order of the items in their lists. */
export function compareShapes(live: Side, sandbox: Side): readonly ShapeDifference[] {
  return compareValues(live.body, sandbox.body, '');

  function compareValues(a: Json, b: Json, place: string): readonly ShapeDifference[] {
    if (typeOf(a) !== typeOf(b)) return [{ kind: 'type', place, live: typeOf(a), sandbox: typeOf(b) }];
    if (isObject(a) && isObject(b)) return compareObjects(a, b, place);
    if (!Array.isArray(a) || !Array.isArray(b)) return [];
    return LISTS.has(place) ? compareLists(a, b, place) : compareArrays(a, b, place);
  }

  function compareObjects(a: JsonObject, b: JsonObject, place: string): readonly ShapeDifference[] {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) => {
      const at = place === '' ? key : `${place}.${key}`;
      const [one, other] = [a[key], b[key]];
      if (one !== undefined && other !== undefined) return compareValues(one, other, at);
      return [{ kind: 'key' as const, place: at, live: presence(one), sandbox: presence(other) }];
    });
  }

  function compareArrays(a: readonly Json[], b: readonly Json[], place: string): readonly ShapeDifference[] {
    const counts: readonly ShapeDifference[] =
      a.length === b.length ? [] : [{ kind: 'items', place, live: count(a), sandbox: count(b) }];
    return [
      ...counts,
      ...a.flatMap((one, index) => {
        const other = b[index];
        return other === undefined ? [] : compareValues(one, other, `${place}[]`);
      }),
    ];
  }

  /** Compares the items that the case knows, each with its counterpart. */
  function compareLists(a: readonly Json[], b: readonly Json[], place: string): readonly ShapeDifference[] {
    const [mine, theirs] = [identified(a, live.labels), identified(b, sandbox.labels)];
    const found: ShapeDifference[] = [];
    if (mine.size !== theirs.size) {
      found.push({ kind: 'items', place, live: count([...mine]), sandbox: count([...theirs]) });
    }
    const shared = [...mine.keys()].filter((identity) => theirs.has(identity));
    const order = [...theirs.keys()].filter((identity) => mine.has(identity));
    if (shared.some((identity, index) => identity !== order[index])) {
      const positions = order.map((identity) => shared.indexOf(identity) + 1);
      const straight = shared.map((_, index) => index + 1);
      found.push({ kind: 'order', place, live: straight.join(' '), sandbox: positions.join(' ') });
    }
    for (const identity of shared) {
      const [one, other] = [mine.get(identity), theirs.get(identity)];
      if (one !== undefined && other !== undefined) found.push(...compareValues(one, other, `${place}[]`));
    }
    return found;
  }
}

/** Returns the items that the case knows, by identity; of two with the same one, the last. */
function identified(items: readonly Json[], labels: Labels): ReadonlyMap<string, Json> {
  return new Map(
    items.flatMap((item) => {
      const identity = identityOf(item, labels);
      return identity === undefined ? [] : [[identity, item] as const];
    }),
  );
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const presence = (value: Json | undefined) => (value === undefined ? 'absent' : 'present');
const count = ({ length }: readonly unknown[]) => (length === 1 ? '1 item' : `${length} items`);

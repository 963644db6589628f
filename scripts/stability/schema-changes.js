const MAXIMA = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'];
const MINIMA = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'];
const FORMS = ['pattern', 'format', 'multipleOf', 'uniqueItems'];
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'];
/** Keywords that are compared one by one, and `deprecated`, which forbids nothing. */
const COMPARED = new Set([
  ...['$ref', '$defs', 'type', 'enum', 'const', 'default', 'deprecated', 'properties', 'required', 'items'],
  ...['additionalProperties', ...MAXIMA, ...MINIMA, ...FORMS, ...ALTERNATIVES],
]);

const asList = (value) => (value === undefined ? [] : [value].flat());
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Compares two schemas, and calls `report(isBreak, text)` for each difference.
 * @param context `isSent`: true for what users send, false for what they receive; `resolve.before` and `resolve.after` follow
 * references; `place` names the schema for the reader
 */
export function compareSchemas(before, after, context, seen = new Set()) {
  const pair = `${before?.$ref} ${after?.$ref}`;
  if (before?.$ref !== undefined && seen.has(pair)) return;
  const next = before?.$ref === undefined ? seen : new Set([...seen, pair]);
  const [one, other] = [context.resolve.before(before), context.resolve.after(after)];
  // A reference to a schema that has changed reads the same.
  if (same(one, other) && !JSON.stringify(one).includes('"$ref"')) return;
  compareTypes(one, other, context);
  compareEnums(one, other, context);
  compareBounds(one, other, context);
  compareProperties(one, other, context, next);
  for (const key of ['items', 'additionalProperties']) compareParts(one[key], other[key], key, context, next);
  for (const key of ALTERNATIVES) compareAlternatives(asList(one[key]), asList(other[key]), key, context, next);
  compareOthers(one, other, context);
}

/** A person decides about keywords that have no comparison of their own, such as `propertyNames`. */
function compareOthers(before, after, { place, report }) {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!COMPARED.has(key) && !same(before[key], after[key])) report(true, `${place}: ${key} has changed`);
  }
}

/** A set of values may grow where users send them, and shrink where they receive them. */
function compareTypes({ type: before }, { type: after }, { isSent, place, report }) {
  const [gone, added] = [asList(before), asList(after)].map((types, index, both) =>
    types.filter(
      (type) => !both[1 - index].includes(type) && !(type === 'integer' && both[1 - index].includes('number')),
    ),
  );
  for (const type of gone) report(isSent || added.length > 0, `${place} is no longer ${type}`);
  for (const type of added) report(!isSent || before === undefined, `${place} may be ${type}`);
}

function compareEnums(before, after, { isSent, place, report }) {
  const [one, other] = [before, after].map((schema) => ('const' in schema ? [schema.const] : schema.enum));
  if (one === undefined && other === undefined) return;
  if (one === undefined) return report(isSent, `${place} is limited to ${other.join(', ')}`);
  if (other === undefined) return report(!isSent, `${place} may be any value`);
  for (const value of one.filter((each) => !other.includes(each))) report(isSent, `${place} is no longer "${value}"`);
  // Clients ignore values that they do not know: docs/stability.md.
  for (const value of other.filter((each) => !one.includes(each))) report(false, `${place} may be "${value}"`);
}

function compareBounds(before, after, { isSent, place, report }) {
  const compare = (key, isTighter) => {
    if (same(before[key], after[key])) return;
    report(isSent === isTighter, `${place}: ${key} was ${before[key] ?? 'absent'}, is ${after[key] ?? 'absent'}`);
  };
  for (const key of MAXIMA)
    compare(key, (after[key] ?? Number.POSITIVE_INFINITY) < (before[key] ?? Number.POSITIVE_INFINITY));
  for (const key of MINIMA)
    compare(key, (after[key] ?? Number.NEGATIVE_INFINITY) > (before[key] ?? Number.NEGATIVE_INFINITY));
  for (const key of FORMS) {
    if (!same(before[key], after[key]))
      compare(key, after[key] === undefined ? false : isSent || before[key] === undefined);
  }
  if (!same(before.default, after.default))
    report(true, `${place}: default was ${before.default}, is ${after.default}`);
}

function compareProperties(before, after, context, seen) {
  const { isSent, place, report } = context;
  const [one, other] = [before.properties ?? {}, after.properties ?? {}];
  const [wasRequired, isRequired] = [before.required ?? [], after.required ?? []];
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const at = `${place}.${name}`;
    if (!(name in other)) report(true, `${at} is gone`);
    else if (!(name in one))
      report(isSent && isRequired.includes(name), `${at} is new${isRequired.includes(name) ? ', always' : ''}`);
    else {
      if (isRequired.includes(name) && !wasRequired.includes(name)) report(isSent, `${at} is required`);
      if (!isRequired.includes(name) && wasRequired.includes(name)) report(!isSent, `${at} is optional`);
      compareSchemas(one[name], other[name], { ...context, place: at }, seen);
    }
  }
}

function compareParts(before, after, key, context, seen) {
  if (same(before, after) && typeof before !== 'object') return;
  const { isSent, place, report } = context;
  if (typeof before === 'object' && typeof after === 'object') {
    compareSchemas(before, after, { ...context, place: `${place}.${key === 'items' ? '[]' : '*'}` }, seen);
  } else if (key === 'additionalProperties') {
    const isNarrower = after === false || typeof after === 'object';
    report(isSent === isNarrower, `${place} takes ${isNarrower ? 'fewer' : 'other'} further fields`);
  } else report(true, `${place}: the schema of its items has changed`);
}

function compareAlternatives(before, after, key, context, seen) {
  const { isSent, place, report } = context;
  const [left, right] = [[...before], [...after]];
  const pairs = [];
  for (const one of before) {
    const index = right.findIndex((other) => same(one, other));
    if (index >= 0) pairs.push([left.splice(left.indexOf(one), 1)[0], right.splice(index, 1)[0]]);
  }
  while (left.length > 0 && right.length > 0) pairs.push([left.shift(), right.shift()]);
  for (const [index, [one, other]] of pairs.entries()) {
    compareSchemas(one, other, { ...context, place: `${place}(${key} ${index + 1})` }, seen);
  }
  for (const _ of left) report(isSent, `${place} has one ${key} less`);
  for (const _ of right) report(!isSent || key === 'allOf', `${place} has one ${key} more`);
}

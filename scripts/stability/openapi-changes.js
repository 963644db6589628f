import { compareSchemas } from './schema-changes.js';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];
const EMPTY = {};

/**
 * Returns the differences of two OpenAPI documents for those who use the interface, each as `{ isBreak, text }`. What users send may
 * get wider, and what they receive narrower or larger; anything else is a break.
 */
export function openApiChanges(before, after) {
  const changes = [];
  const report = (isBreak, text) => changes.push({ isBreak, text });
  const resolve = { before: resolver(before), after: resolver(after) };
  for (const [section, isOurs] of [
    ['paths', false],
    ['webhooks', true],
  ]) {
    const [one, other] = [operations(before[section]), operations(after[section])];
    for (const name of new Set([...one.keys(), ...other.keys()])) {
      if (!other.has(name)) report(true, `${name} is gone`);
      else if (!one.has(name)) report(false, `${name} is new`);
      else compareOperations(one.get(name), other.get(name), { place: name, report, resolve, isOurs });
    }
  }
  return changes;
}

/** Returns the document without what is for readers alone: descriptions, summaries and examples. */
export function contractOf(value, isProperties = false) {
  if (Array.isArray(value)) return value.map((item) => contractOf(item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, part]) => isProperties || !isForReaders(key, part));
  return Object.fromEntries(kept.map(([key, part]) => [key, contractOf(part, key === 'properties')]));
}

const isForReaders = (key, part) =>
  ['example', 'examples', 'externalDocs'].includes(key) ||
  (['description', 'summary', 'title', 'version'].includes(key) && typeof part === 'string');

function resolver(document) {
  const resolve = (value) => {
    if (value?.$ref === undefined) return value ?? EMPTY;
    const found = value.$ref
      .split('/')
      .slice(1)
      .reduce((part, key) => part?.[key], document);
    if (found === undefined) throw new Error(`the document has no ${value.$ref}`);
    return resolve(found);
  };
  return resolve;
}

function operations(items = {}) {
  return new Map(
    Object.entries(items).flatMap(([path, item]) =>
      METHODS.filter((method) => method in item).map((method) => [
        `${method.toUpperCase()} ${path}`,
        { ...item[method], parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])] },
      ]),
    ),
  );
}

function compareOperations(before, after, context) {
  const { place, report, isOurs } = context;
  compareParameters(before, after, context);
  const [one, other] = [context.resolve.before(before.requestBody), context.resolve.after(after.requestBody)];
  const body = { ...context, place: `${place}: body`, isSent: !isOurs };
  if (other.required === true && one.required !== true) report(!isOurs, `${place}: a body is required`);
  compareContents(one.content ?? {}, other.content ?? {}, body);
  compareResponses(before.responses ?? {}, after.responses ?? {}, { ...context, isSent: isOurs });
  if (JSON.stringify(before.security) !== JSON.stringify(after.security))
    report(true, `${place}: its authorization has changed`);
  if (after.deprecated === true && before.deprecated !== true) report(false, `${place} is deprecated`);
}

function compareParameters(before, after, context) {
  const { place, report, resolve } = context;
  const byKey = (list, follow) =>
    new Map(list.map(follow).map((parameter) => [`${parameter.in} parameter ${parameter.name}`, parameter]));
  const [one, other] = [byKey(before.parameters, resolve.before), byKey(after.parameters, resolve.after)];
  for (const key of new Set([...one.keys(), ...other.keys()])) {
    const [was, is] = [one.get(key), other.get(key)];
    const at = `${place}: ${key}`;
    if (is === undefined) report(true, `${at} is gone`);
    else if (was === undefined) report(is.required === true, `${at} is new${is.required ? ', and required' : ''}`);
    else {
      if (is.required === true && was.required !== true) report(true, `${at} is required`);
      compareSchemas(was.schema ?? EMPTY, is.schema ?? EMPTY, { ...context, place: at, isSent: true });
    }
  }
}

function compareResponses(before, after, context) {
  const { place, report, resolve } = context;
  for (const status of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const at = `${place}: ${status}`;
    if (!(status in after)) report(true, `${at} is gone`);
    else if (!(status in before)) report(false, `${at} is new`);
    else {
      const [one, other] = [resolve.before(before[status]), resolve.after(after[status])];
      compareContents(one.content ?? {}, other.content ?? {}, { ...context, place: at });
      const gone = Object.keys(one.headers ?? {}).filter((name) => !(name in (other.headers ?? {})));
      for (const name of gone) report(true, `${at}: header ${name} is gone`);
    }
  }
}

function compareContents(before, after, context) {
  const { place, report, isSent } = context;
  for (const type of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!(type in after)) report(true, `${place}: ${type} is gone`);
    else if (!(type in before)) report(!isSent && Object.keys(before).length > 0, `${place}: ${type} is new`);
    else compareSchemas(before[type].schema ?? EMPTY, after[type].schema ?? EMPTY, context);
  }
}

import type { EventOverrides } from 'kalends/ports';
import { z } from 'zod';

/*
 * Google stores the extended properties of an exception as one field: once one key is written, the others no longer follow
 * the series. Private properties of the exception record, as JSON lists, which keys were written to it.
 */

const MARK_KEY = 'kalends.own';
const MARK = /^kalends\.own(\.\d+)?$/;
/** Google's limit of a value, in characters. */
const LONGEST_MARK = 1000;

const entries = z.array(z.string());

type Properties = Readonly<Record<string, string>>;

/** Returns true for a private property of ours that records overrides. */
export function isMark(key: string): boolean {
  return MARK.test(key);
}

/** Reads the recorded overrides of an exception; undefined when there is no record. */
export function readOverrides(ownProperties: Properties): EventOverrides | undefined {
  const marks = Object.entries(ownProperties).filter(([key]) => isMark(key));
  if (marks.length === 0) return undefined;
  const noted = marks.flatMap(([, value]) => entriesOf(value));
  const keysOf = (kind: string) =>
    noted.filter((entry) => entry.startsWith(kind)).map((entry) => entry.slice(kind.length));
  return {
    customColor: noted.includes('color'),
    publicExtendedProperties: keysOf('shared:'),
    privateExtendedProperties: keysOf('private:'),
  };
}

function entriesOf(value: string): readonly string[] {
  try {
    return entries.safeParse(JSON.parse(value)).data ?? [];
  } catch {
    return [];
  }
}

/** Returns the private properties that record overrides; null for those of `present` that are obsolete. */
export function writeOverrides(
  overrides: EventOverrides,
  present: Properties,
): Readonly<Record<string, string | null>> {
  const noted = [
    ...(overrides.customColor ? ['color'] : []),
    ...overrides.publicExtendedProperties.map((key) => `shared:${key}`),
    ...overrides.privateExtendedProperties.map((key) => `private:${key}`),
  ];
  const lists: string[][] = [[]];
  for (const entry of noted) {
    const last = lists.at(-1) ?? [];
    if (JSON.stringify([...last, entry]).length <= LONGEST_MARK) last.push(entry);
    else lists.push([entry]);
  }
  const marks = lists.map((list, index): [string, string] => [
    index === 0 ? MARK_KEY : `${MARK_KEY}.${index}`,
    JSON.stringify(list),
  ]);
  const cleared = Object.keys(present).filter(isMark);
  return { ...Object.fromEntries(cleared.map((key) => [key, null])), ...Object.fromEntries(marks) };
}

import { compileSeries, parseRecurrence, RecurrenceError, serializeRecurrence } from '../../../src/recurrence/index.ts';
import { createZones, DAY_MS, type IcsZoneComponent, parseWall, type Zones } from '../../../src/zones/index.ts';
import { readBackwards } from './read-backwards.ts';

/** The years that a source of offsets is asked about. */
const FIRST_MS = Date.UTC(1800, 0, 1);
const END_MS = Date.UTC(2133, 0, 1);

/** Most changes by one observance: a yearly rule has 333. */
const MOST_ONSETS = 1_000;
const MOST_OBSERVANCES = 1_000;

/** The steps in which a table of a zone looks for changes: one that is undone within a step would be missed. */
const RULES_MS = Date.UTC(2040, 0, 1);
const leastDaysAt = (atMs: number) => (atMs < RULES_MS ? 2 : 6);

/** A change of the offset. */
interface Onset {
  readonly atMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Creates the zone that a VTIMEZONE defines by its observances, under its own name.
 * @throws RecurrenceError naming VTIMEZONE for a definition that cannot be read
 * @see RFC 5545 §3.6.5
 */
export function definedZone(tzid: string, definition: IcsZoneComponent): Zones {
  const observances = definition.components.filter(({ name }) => name === 'STANDARD' || name === 'DAYLIGHT');
  if (observances.length === 0) throw fault(tzid, 'has neither STANDARD nor DAYLIGHT');
  if (observances.length > MOST_OBSERVANCES) throw fault(tzid, `has more than ${MOST_OBSERVANCES} observances`);
  const onsets = observances.flatMap((each) => onsetsOf(tzid, each)).sort((one, other) => one.atMs - other.atMs);
  const [first] = onsets;
  if (first === undefined) throw fault(tzid, 'has no observance that ever begins');
  checkSpans(tzid, onsets, first);
  return createZones({
    canonicalName: (name) => (name === tzid ? tzid : undefined),
    offsetAt: (_zone, epochMs) => lastUpTo(onsets, epochMs)?.toMs ?? first.fromMs,
  });
}

function checkSpans(tzid: string, onsets: readonly Onset[], first: Onset): void {
  let [offsetMs, sinceMs] = [first.fromMs, Number.NEGATIVE_INFINITY];
  for (const [index, { atMs, toMs }] of onsets.entries()) {
    // Of several onsets at one instant, the last holds.
    if (toMs === offsetMs || onsets[index + 1]?.atMs === atMs) continue;
    const days = leastDaysAt(atMs);
    if (atMs - sinceMs < days * DAY_MS) throw fault(tzid, `changes its offset twice within ${days} days`);
    [offsetMs, sinceMs] = [toMs, atMs];
  }
}

function onsetsOf(tzid: string, observance: IcsZoneComponent): readonly Onset[] {
  const fromMs = offsetOf(tzid, observance, 'tzoffsetfrom');
  const toMs = offsetOf(tzid, observance, 'tzoffsetto');
  const start = textOf(observance, 'dtstart') ?? '';
  const dtstart = start.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6');
  if (parseWall(dtstart) === undefined) throw fault(tzid, `has a DTSTART that is no local time: "${start}"`);
  const lines = observance.properties
    .filter(({ name }) => name === 'rrule' || name === 'rdate')
    .map(({ name, raw }) => `${name.toUpperCase()}:${raw}`);
  const series = compileSeries({ dtstart, timeZone: null, lines: localLines(lines, fromMs) });
  const found = series.occurrences({ from: FIRST_MS, to: END_MS, limit: MOST_ONSETS + 1 });
  if (found.length > MOST_ONSETS) throw fault(tzid, `changes more than ${MOST_ONSETS} times`);
  // The offset of the first of these years may have begun long before, as in 1601 where Outlook writes a zone.
  const earlier = readBackwards(series, FIRST_MS).next().value;
  return [...(earlier === undefined ? [] : [earlier]), ...found].map(({ wallMs }) => ({
    atMs: wallMs - fromMs,
    fromMs,
    toMs,
  }));
}

/** Rewrites an UNTIL in UTC to local time: an observance's times are local, by the offset before it. */
function localLines(lines: readonly string[], offsetMs: number): readonly string[] {
  const parsed = parseRecurrence(lines);
  const rules = parsed.rules.map((rule) =>
    rule.until?.form === 'utc'
      ? { ...rule, until: { form: 'local' as const, wallMs: rule.until.wallMs + offsetMs } }
      : rule,
  );
  return serializeRecurrence({ ...parsed, rules });
}

function offsetOf(tzid: string, observance: IcsZoneComponent, name: string): number {
  const text = textOf(observance, name) ?? '';
  const match = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text);
  if (match === null) throw fault(tzid, `has a ${name.toUpperCase()} that is no offset: "${text}"`);
  const [, sign, hours, minutes, seconds = '0'] = match;
  return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
}

function textOf({ properties }: IcsZoneComponent, wanted: string): string | undefined {
  return properties.find(({ name }) => name === wanted)?.raw;
}

/** Returns the last onset at or before an instant. */
function lastUpTo(onsets: readonly Onset[], epochMs: number): Onset | undefined {
  let low = 0;
  let high = onsets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((onsets[middle]?.atMs ?? epochMs) <= epochMs) low = middle + 1;
    else high = middle;
  }
  return onsets[low - 1];
}

function fault(tzid: string, rule: string): RecurrenceError {
  return new RecurrenceError('VTIMEZONE', `"${tzid}" ${rule}`);
}

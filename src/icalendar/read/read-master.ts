import type { EventContent, RecurrenceId } from '../../ports/index.ts';
import { compileSeries, parseRecurrence, recurrenceIdText } from '../../recurrence/index.ts';
import { formatDate, type IcsZones, instantOf } from '../../zones/index.ts';
import { type IcsComponent, propertiesOf, propertyOf, wordOf } from '../text/component.ts';
import { allAtOnce, type Steps } from '../text/steps.ts';
import { X_CANCELLED } from '../x-names.ts';
import { versionOf } from './latest-version.ts';
import { type EventContext, type IcsEvent, readEventContent } from './read-event.ts';
import { attendeeFaults, readPeople } from './read-people.ts';
import { type ComponentStart, startOf } from './read-times.ts';
import { canonicalLinesInSteps, isUtc } from './recurrence-lines.ts';
import { uidOf } from './uid-of.ts';

const NAMES = ['rrule', 'exrule', 'rdate', 'exdate'];

/** A single event or a series master, and the slots that our own EXDATEs take out. */
export interface MasterReading {
  readonly event: IcsEvent;
  readonly cancelled: readonly RecurrenceId[];
  readonly start: ComponentStart;
}

/**
 * Maps a component without RECURRENCE-ID. `hasExceptions` makes it a series, even where it has no rule.
 * @throws ProviderError unreadable
 */
export function readMaster(component: IcsComponent, hasExceptions: boolean, context: EventContext): MasterReading {
  return allAtOnce(readMasterInSteps(component, hasExceptions, context));
}

/**
 * Maps the same in steps.
 * @throws ProviderError unreadable
 */
export function* readMasterInSteps(
  component: IcsComponent,
  hasExceptions: boolean,
  context: EventContext,
): Steps<MasterReading> {
  const content = readEventContent(component, context);
  const start = startOf(component, context.zones);
  const { lines, cancelled, faults } = yield* readLines(component, start, context.zones);
  const isSeries =
    hasExceptions || cancelled.length > 0 || NAMES.some((name) => propertyOf(component, name) !== undefined);
  return {
    event: {
      uid: uidOf(component),
      recurrenceId: null,
      isCancelled: wordOf(component, 'status') === 'CANCELLED',
      content: { ...content, recurrence: isSeries ? withStart(lines, start, content) : null },
      sequence: versionOf(component).sequence,
      isOrganizer: readPeople(component, context).isOrganizer,
      unreadableParts: [...faults, ...attendeeFaults(component)],
    },
    cancelled,
    start,
  };
}

interface LineReading {
  readonly lines: string[];
  readonly cancelled: readonly RecurrenceId[];
  readonly faults: readonly string[];
}

function* readLines(component: IcsComponent, start: ComponentStart, zones: IcsZones): Steps<LineReading> {
  const { lines, faults } = yield* canonicalLinesInSteps(writtenLinesOf(component, zones), start);
  const marks = new Set(propertiesOf(component, X_CANCELLED.toLowerCase()).map(({ raw }) => raw.toUpperCase()));
  if (marks.size === 0) return { lines: [...lines], cancelled: [], faults };
  const cancelled = new Map<string, RecurrenceId>();
  const kept = lines.flatMap((line) => {
    if (!line.startsWith('EXDATE')) return [line];
    const head = line.slice(0, line.indexOf(':'));
    const slots = slotsOf(line, start);
    const left = line
      .slice(head.length + 1)
      .split(',')
      .filter((_value, at) => {
        const slot = slots[at];
        const key = slot === undefined ? '' : recurrenceIdText(slot);
        if (slot === undefined || !marks.has(key)) return true;
        cancelled.set(key, slot);
        return false;
      });
    return left.length === 0 ? [] : [`${head}:${left.join(',')}`];
  });
  return { lines: kept, cancelled: [...cancelled.values()], faults };
}

/** The recurrence properties as lines, zones by their IANA names. */
function writtenLinesOf(component: IcsComponent, zones: IcsZones): string[] {
  return component.properties
    .filter(({ name }) => NAMES.includes(name))
    .map(({ name, raw, parameters }) => {
      const tzid = parameters['tzid'];
      const zone = tzid === undefined || name.endsWith('rule') ? '' : `;TZID=${zones.resolve(tzid)}`;
      return `${name.toUpperCase()}${zone}:${raw}`;
    });
}

/** Returns the slots of a canonical EXDATE line, in the order of its values. */
export function slotsOf(line: string, start: ComponentStart): readonly RecurrenceId[] {
  return parseRecurrence([line]).exceptionDates.map(({ time: { form, wallMs, tzid } }) => {
    if (form === 'date') return { kind: 'date', date: formatDate(wallMs) };
    return { kind: 'instant', startMs: form === 'utc' ? wallMs : instantOf(tzid ?? start.timeZone, wallMs) };
  });
}

/**
 * Adds the start where the rule does not produce it: DTSTART is the first of the set (RFC 5545 §3.8.5.3). Not where the rule has ended before
 * it: Google writes a series of which nothing is left that way, and shows none of it (https://github.com/sabre-io/vobject/pull/371).
 */
function withStart(lines: readonly string[], start: ComponentStart, content: EventContent): string[] {
  const added = lines.filter((line) => /^R(?:RULE|DATE)/.test(line));
  if (added.length > 0 && !lacksStart(added, start, content)) return [...lines];
  const stamp = start.wall.replaceAll(/[-:]/g, '');
  if (content.isAllDay) return [...lines, `RDATE;VALUE=DATE:${stamp}`];
  if (isUtc(start.timeZone)) return [...lines, `RDATE:${stamp}Z`];
  return [...lines, `RDATE;TZID=${start.timeZone}:${stamp}`];
}

function lacksStart(added: readonly string[], start: ComponentStart, content: EventContent): boolean {
  // Without a rule the start is an occurrence by itself.
  if (!added.some((line) => line.startsWith('RRULE'))) return false;
  const series = compileSeries({
    dtstart: start.wall,
    timeZone: content.isAllDay ? null : start.timeZone,
    lines: added,
  });
  // The canonical UNTIL of a timed series is in UTC.
  const startMs = content.isAllDay ? series.dtstartMs : instantOf(start.timeZone, series.dtstartMs);
  const hasEnded = series.recurrence.rules.every(({ until }) => until !== undefined && until.wallMs < startMs);
  return !hasEnded && series.slotAt(startMs) === undefined;
}

import { FILTERED_EVENT_TYPES } from '../../model/index.ts';
import type { EventContent } from '../../ports/index.ts';

/** Which records an answer has. Sealed into tokens: everything is plain JSON and says the same for ever. */
export type EventFilters = UnexpandedFilters | ExpandedFilters;

/** Series are answered by their masters and exceptions. */
export interface UnexpandedFilters extends CommonFilters {
  readonly expand: false;
  /** Instants; null: open. */
  readonly from: number | null;
  readonly to: number | null;
}

/** Series are answered by their occurrences. */
export interface ExpandedFilters extends CommonFilters {
  readonly expand: true;
  /** Instants. */
  readonly from: number;
  readonly to: number;
}

interface CommonFilters {
  /** Only this group (the occurrences of one event). */
  readonly groupId?: string;
  /** The window asks for what meets it, instead of what lies within it (free/busy). */
  readonly isOverlap?: boolean;
  /** Only slots that start in [from, until): a slice of an ordered answer. */
  readonly starts?: { readonly from: number; readonly until: number };
  readonly search?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly isCancelled?: boolean;
  readonly isAllDay?: boolean;
  /** Kinds of events, sorted. */
  readonly eventTypes?: readonly string[];
  /** Instant. */
  readonly updatedAfter?: number;
  /** Texts of the times as they were sent, so that sending them again is recognised without their zone. */
  readonly written?: Readonly<Partial<Record<'startDateTime' | 'endDateTime' | 'updatedAfter', string>>>;
}

/** Whether a record that is or is not cancelled may be in the answer. */
export function admitsCancelled({ expand, isCancelled }: EventFilters, recordIsCancelled: boolean): boolean {
  return !recordIsCancelled || (isCancelled ?? !expand);
}

/** Whether a record's range, which may be worked out only now, satisfies the window. */
export function admitsTime(
  { from, to, isOverlap = false }: EventFilters,
  record: { readonly startMs: number; readonly endMs: number },
): boolean {
  if (from === null && to === null) return true;
  const { startMs, endMs } = record;
  if (isOverlap) return (to === null || startMs < to) && (from === null || endMs > from);
  return (from === null || startMs >= from) && (to === null || endMs <= to);
}

/** Whether content, which may be parsed only now, satisfies the filters that do not ask for times or states. */
export function admitsContent(filters: EventFilters, record: { readonly content: EventContent }): boolean {
  const { search, metadata, isAllDay, updatedAfter, eventTypes } = filters;
  if ((search ?? metadata ?? isAllDay ?? updatedAfter ?? eventTypes) === undefined) return true;
  const { content } = record;
  if (eventTypes !== undefined && !eventTypes.includes(kindOf(content))) return false;
  if (isAllDay !== undefined && content.isAllDay !== isAllDay) return false;
  if (updatedAfter !== undefined && !(Date.parse(content.updatedAt) > updatedAfter)) return false;
  if (search !== undefined && !fold(content.title).includes(fold(search))) return false;
  return metadata === undefined || Object.entries(metadata).every(([name, value]) => hasProperty(content, name, value));
}

/** Returns the kind of an event: the provider's own name of it, where lists know that. */
function kindOf({ eventType, providerEventType }: EventContent): string {
  return FILTERED_EVENT_TYPES.find((type) => type === providerEventType) ?? eventType;
}

function hasProperty(content: EventContent, name: string, value: string): boolean {
  const own = (record: Readonly<Record<string, string>>) => Object.hasOwn(record, name) && record[name] === value;
  return own(content.publicExtendedProperties) || own(content.privateExtendedProperties);
}

/** Returns the same text for all spellings of letters that differ in case alone, much as Unicode's full case folding. */
function fold(text: string): string {
  // Upper case is one for ß and SS and for both small sigmas; lower case before it takes ẞ to ß. İ leaves a dot over its I.
  return text.normalize('NFC').toLowerCase().toUpperCase().replaceAll('I\u0307', 'I');
}

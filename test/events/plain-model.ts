import type { ProviderEvent } from 'kalends/ports';
import { instantOf } from 'kalends/zones';

/** A query of the promise test, in plain terms. */
export interface PlainQuery {
  readonly expand: boolean;
  readonly window?: { readonly from: number; readonly to: number };
  readonly search?: string;
  readonly isAllDay?: boolean;
  readonly isCancelled?: boolean;
  /** Display zone; changes no answer. */
  readonly timeZone?: string;
}

/** The expected list, by id. */
export interface PlainRecord {
  readonly title: string;
  readonly isCancelled: boolean;
  readonly startMs: number;
  readonly endMs: number;
}

const DAY_MS = 86_400_000;
const SERIES_ZONE = 'America/New_York';

/**
 * The answer to a query, worked out from the provider's own objects by walking every day of every series. Knows rules of
 * the form FREQ=DAILY;INTERVAL=i;COUNT=n alone.
 */
export function plainAnswer(
  events: Iterable<ProviderEvent>,
  zone: string,
  query: PlainQuery,
): Readonly<Record<string, PlainRecord>> {
  const all = [...events];
  const answer: Record<string, PlainRecord> = {};
  for (const event of all) {
    if (event.seriesId !== null) continue;
    if (event.content!.recurrence === null) {
      const record = recordOf(event, zone);
      if (admits(query, event, record)) answer[event.providerEventId] = record;
    } else {
      addSeries(answer, event, all, zone, query);
    }
  }
  return answer;
}

function addSeries(
  answer: Record<string, PlainRecord>,
  master: ProviderEvent,
  all: readonly ProviderEvent[],
  zone: string,
  query: PlainQuery,
): void {
  const exceptions = all.filter(({ seriesId }) => seriesId === master.providerEventId);
  const records: Record<string, { readonly event: ProviderEvent; readonly record: PlainRecord }> = {};
  for (const wallMs of slotsOf(master)) {
    const id = idOf(master, wallMs);
    records[id] = { event: master, record: slotRecord(master, wallMs, zone) };
  }
  const stored = new Set<string>();
  for (const exception of exceptions) {
    const slot = exception.recurrenceId!;
    const wallMs = slot.kind === 'date' ? Date.parse(slot.date) : wallOfSlot(slot.startMs);
    const id = idOf(master, wallMs);
    // A cancelled occurrence is one of its series: of a slot that the series has not, nothing is left.
    if (exception.isCancelled && records[id] === undefined) continue;
    stored.add(id);
    const record = exception.content === null ? slotRecord(master, wallMs, zone) : recordOf(exception, zone);
    const event = exception.content === null ? master : exception;
    records[id] = { event, record: { ...record, isCancelled: exception.isCancelled } };
  }
  const living = Object.values(records).filter(({ record }) => !record.isCancelled && isWithin(query, record));
  if (query.expand) {
    for (const [id, { event, record }] of Object.entries(records))
      if (admits(query, event, record)) answer[id] = record;
    return;
  }
  for (const id of stored) if (admits(query, records[id]!.event, records[id]!.record)) answer[id] = records[id]!.record;
  const own = recordOf(master, zone);
  const inWindow = query.window === undefined || living.length > 0;
  if (inWindow && admits({ ...query, window: undefined as never }, master, own)) answer[master.providerEventId] = own;
}

function admits(query: PlainQuery, event: ProviderEvent, record: PlainRecord): boolean {
  if (record.isCancelled && !(query.isCancelled ?? !query.expand)) return false;
  if (query.isAllDay !== undefined && event.content!.isAllDay !== query.isAllDay) return false;
  if (query.search !== undefined && !record.title.includes(query.search)) return false;
  return isWithin(query, record);
}

function isWithin({ window }: PlainQuery, { startMs, endMs }: PlainRecord): boolean {
  return window === undefined || (startMs >= window.from && endMs <= window.to);
}

/** Wall times of the slots, as if in UTC. */
function slotsOf(master: ProviderEvent): readonly number[] {
  const rule = /^RRULE:FREQ=DAILY;INTERVAL=(\d+);COUNT=(\d+)$/.exec(master.content!.recurrence![0]!)!;
  const first = Date.parse(`${master.content!.start.dateTime.slice(0, 19)}Z`);
  return Array.from({ length: Number(rule[2]) }, (_, index) => first + index * Number(rule[1]) * DAY_MS);
}

function slotRecord(master: ProviderEvent, wallMs: number, zone: string): PlainRecord {
  const { isAllDay, start, end, title } = master.content!;
  const lengthMs = Date.parse(end.dateTime) - Date.parse(start.dateTime);
  const startMs = instantOf(isAllDay ? zone : SERIES_ZONE, wallMs);
  const endMs = isAllDay ? instantOf(zone, wallMs + Math.round(lengthMs / DAY_MS) * DAY_MS) : startMs + lengthMs;
  return { title, isCancelled: false, startMs, endMs };
}

function recordOf({ content, isCancelled }: ProviderEvent, zone: string): PlainRecord {
  const { isAllDay, start, end, title } = content!;
  const at = (text: string) => (isAllDay ? instantOf(zone, Date.parse(`${text}Z`)) : Date.parse(text));
  return { title, isCancelled, startMs: at(start.dateTime), endMs: at(end.dateTime) };
}

function wallOfSlot(startMs: number): number {
  const text = new Date(startMs).toLocaleString('sv-SE', { timeZone: SERIES_ZONE });
  return Date.parse(`${text.replace(' ', 'T')}Z`);
}

function idOf(master: ProviderEvent, wallMs: number): string {
  const stamp = (ms: number) => new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  const { providerEventId, content } = master;
  if (content!.isAllDay) return `${providerEventId}_${stamp(wallMs).slice(0, 8)}`;
  return `${providerEventId}_${stamp(instantOf(SERIES_ZONE, wallMs))}Z`;
}

import { z } from 'zod';
import { GraphError } from '../api/graph-error.ts';
import { type GraphRequest, jsonAnswer } from '../api/graph-request.ts';
import { itemsIn, type Window } from '../events/calendar-view.ts';
import { parseBody } from '../events/event-body.ts';
import { fieldsOf, type Item } from '../events/event-view.ts';
import { isPersonal, tenantIdOf } from '../identity.ts';
import { spanOf } from '../series/series.ts';
import { defaultCalendarOf, findMailbox, type ScheduleDetail, type StoredMailbox } from '../state.ts';
import { DAY_MS, formatGraphWall, instantIn, instantOfTime, readGraphTime, wallIn } from '../times.ts';
import { workingHoursOf } from './mailbox.ts';

const time = z.object({ dateTime: z.string(), timeZone: z.string().nullish() });

const scheduleBody = z.object({
  schedules: z.array(z.string()).min(1).max(20),
  startTime: time,
  endTime: time,
  availabilityViewInterval: z.int().min(5).max(1440).nullish(),
});

const LONGEST_DAYS = 62;
const MOST_ITEMS = 1000;
/** A person who works elsewhere is free here, for old clients. @see https://github.com/microsoftgraph/msgraph-metadata/issues/598 */
const DIGITS = { free: '0', tentative: '1', busy: '2', oof: '3', workingElsewhere: '0', unknown: '0' } as const;

/** An item at the instants at which it makes its person busy. */
interface Entry {
  readonly item: Item;
  readonly startAt: number;
  readonly endAt: number;
}

function entryOf(mailbox: StoredMailbox, item: Item): Entry {
  const { startAt, endAt } = spanOf(fieldsOf(item));
  if (!fieldsOf(item).isAllDay) return { item, startAt, endAt };
  const { timeZone } = mailbox;
  return { item, startAt: instantIn(timeZone, startAt), endAt: instantIn(timeZone, endAt) };
}

function availabilityView(entries: readonly Entry[], { from, to }: Window, intervalMs: number): string {
  let view = '';
  for (let at = from; at < to; at += intervalMs) {
    const digits = entries
      .filter(({ startAt, endAt }) => startAt < at + intervalMs && endAt > at)
      .map(({ item }) => DIGITS[fieldsOf(item).showAs]);
    view += ['3', '2', '1'].find((digit) => digits.includes(digit as '1')) ?? '0';
  }
  return view;
}

function scheduleItem({ prefer }: GraphRequest, { item, startAt, endAt }: Entry, detail: ScheduleDetail): object {
  const fields = fieldsOf(item);
  const isPrivate = fields.sensitivity === 'private';
  const point = (at: number) => ({ dateTime: formatGraphWall(wallIn(prefer.timeZone, at)), timeZone: prefer.timeZone });
  const isShown = detail === 'full' && !isPrivate;
  return {
    ...(detail === 'full' ? { isPrivate } : {}),
    status: fields.showAs,
    ...(isShown ? { subject: fields.subject, location: String(fields.locations[0]?.['displayName'] ?? '') } : {}),
    start: point(startAt),
    end: point(endAt),
  };
}

function failed(scheduleId: string, responseCode: string, message: string): object {
  return { scheduleId, availabilityView: '', error: { responseCode, message }, scheduleItems: null };
}

/** Returns the mailbox of an address, if it is of the same organization: personal accounts have none. */
function visibleMailbox({ world, mailbox }: GraphRequest, address: string): StoredMailbox | undefined {
  const found = findMailbox(world.state, address);
  if (found === undefined || found.email === mailbox.email) return found;
  return !isPersonal(address) && tenantIdOf(address) === tenantIdOf(mailbox.email) ? found : undefined;
}

function scheduleOf(graph: GraphRequest, address: string, window: Window, intervalMs: number): object {
  const mailbox = visibleMailbox(graph, address);
  if (!mailbox) return failed(address, '5016', 'ErrorMailRecipientNotFound');
  const { state } = graph.world;
  const isOwn = mailbox.email === graph.mailbox.email;
  const detail = isOwn ? 'full' : (state.settings.scheduleDetails[mailbox.email.toLowerCase()] ?? 'full');
  if (detail === 'none') return failed(address, 'ErrorNoFreeBusyAccess', 'ErrorNoFreeBusyAccess');
  const entries = itemsIn(defaultCalendarOf(state, mailbox), { from: window.from - DAY_MS, to: window.to + DAY_MS })
    .filter((item) => !fieldsOf(item).isCancelled)
    .map((item) => entryOf(mailbox, item))
    .filter(({ startAt, endAt }) => startAt < window.to && endAt > window.from)
    .sort((left, right) => left.startAt - right.startAt);
  if (entries.length > MOST_ITEMS) return failed(address, '5006', 'The result set contains too many calendar entries.');
  return {
    scheduleId: address,
    availabilityView: availabilityView(entries, window, intervalMs),
    scheduleItems: detail === 'merged' ? [] : entries.map((entry) => scheduleItem(graph, entry, detail)),
    workingHours: workingHoursOf(mailbox),
  };
}

/** POST /getSchedule: by mailbox, with an error per address that has none. @throws GraphError 400 */
export function getSchedule(graph: GraphRequest): Response {
  const body = parseBody(scheduleBody, graph.body, 'microsoft.graph.getSchedule');
  const from = instantOfTime(readGraphTime(body.startTime, 'StartTime'));
  const to = instantOfTime(readGraphTime(body.endTime, 'EndTime'));
  if (to <= from) throw new GraphError(400, 'ErrorInvalidTimeInterval', 'The end time must be after the start time.');
  if (to - from > LONGEST_DAYS * DAY_MS) {
    throw new GraphError(
      400,
      'ErrorTimeIntervalTooBig',
      'The requested time duration specified for FreeBusyViewOptions.TimeWindow is not within the allowed limit of 62 days.',
    );
  }
  const intervalMs = (body.availabilityViewInterval ?? 30) * 60_000;
  return jsonAnswer(graph, {
    '@odata.context': `${graph.root}/v1.0/$metadata#Collection(microsoft.graph.scheduleInformation)`,
    value: body.schedules.map((address) => scheduleOf(graph, address, { from, to }, intervalMs)),
  });
}

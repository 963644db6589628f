import { z } from 'zod';
import { GraphError } from '../api/graph-error.ts';
import { type GraphRequest, jsonAnswer } from '../api/graph-request.ts';
import { itemsIn, type Window } from '../events/calendar-view.ts';
import { parseBody } from '../events/event-body.ts';
import { fieldsOf, type Item, timeView } from '../events/event-view.ts';
import { spanOf } from '../series/series.ts';
import { defaultCalendarOf, findMailbox } from '../state.ts';
import { DAY_MS, instantOfTime, readGraphTime } from '../times.ts';

const time = z.object({ dateTime: z.string(), timeZone: z.string().nullish() });

const scheduleBody = z.object({
  schedules: z.array(z.string()).min(1).max(20),
  startTime: time,
  endTime: time,
  availabilityViewInterval: z.int().min(5).max(1440).nullish(),
});

const LONGEST_DAYS = 62;
const MOST_ITEMS = 1000;
const DIGITS = { free: '0', tentative: '1', busy: '2', oof: '3', workingElsewhere: '4', unknown: '0' } as const;

function availabilityView(items: readonly Item[], { from, to }: Window, intervalMs: number): string {
  let view = '';
  for (let at = from; at < to; at += intervalMs) {
    const digits = items
      .filter((item) => {
        const span = spanOf(fieldsOf(item));
        return span.startAt < at + intervalMs && span.endAt > at;
      })
      .map((item) => DIGITS[fieldsOf(item).showAs]);
    view += ['3', '2', '1', '4'].find((digit) => digits.includes(digit as '1')) ?? '0';
  }
  return view;
}

function scheduleItem(graph: GraphRequest, item: Item): object {
  const fields = fieldsOf(item);
  const isPrivate = fields.sensitivity === 'private';
  return {
    isPrivate,
    status: fields.showAs,
    ...(isPrivate ? {} : { subject: fields.subject, location: String(fields.locations[0]?.['displayName'] ?? '') }),
    start: timeView(fields.start, fields.isAllDay, graph.prefer),
    end: timeView(fields.end, fields.isAllDay, graph.prefer),
  };
}

function failed(scheduleId: string, responseCode: string, message: string): object {
  return { scheduleId, availabilityView: '', error: { responseCode, message }, scheduleItems: null };
}

function scheduleOf(graph: GraphRequest, address: string, window: Window, intervalMs: number): object {
  const mailbox = findMailbox(graph.world.state, address);
  if (!mailbox) return failed(address, '5016', 'ErrorMailRecipientNotFound');
  const items = itemsIn(defaultCalendarOf(graph.world.state, mailbox), window).filter(
    (item) => !fieldsOf(item).isCancelled,
  );
  if (items.length > MOST_ITEMS) return failed(address, '5006', 'The result set contains too many calendar entries.');
  items.sort((left, right) => spanOf(fieldsOf(left)).startAt - spanOf(fieldsOf(right)).startAt);
  return {
    scheduleId: address,
    availabilityView: availabilityView(items, window, intervalMs),
    scheduleItems: items.map((item) => scheduleItem(graph, item)),
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

import type { ErrorCode, KalendsError } from 'kalends';
import { isTold } from '../told-error.ts';
import { ToolRefusal } from '../tool-refusal.ts';
import { DATA_NOTE, quotedName, quotedStart } from './quoted.ts';
import { timesWords } from './time-words.ts';

/** Messages quote what was sent. */
const MESSAGE_LENGTH = 600;
const MOST_DETAILS = 10;

const NEXT_STEPS: Partial<Record<ErrorCode, string>> = {
  InvalidRequest: 'Correct the named field and call again.',
  NotFound: 'Ids must be copied exactly. Call list_accounts, list_calendars or list_events for current ones.',
  PreconditionFailed:
    'The event has changed since the preview. Read it with get_event, and call the preview tool again.',
  Conflict: 'Read the current state first, then call the preview tool again.',
  SlotTaken: 'Choose another slot, or call find_meeting_times.',
  CalendarReadOnly: 'This calendar cannot be written. Choose another one from list_calendars.',
  Forbidden: 'The account may not do this; often only the organizer may. Tell the person.',
  InvalidRefreshToken:
    'The account is disconnected. Tell the person to connect it again; until then nothing of it can be read.',
  UnsupportedByProvider: 'Leave the named field out, or choose a value that this provider can represent.',
  RateLimited: 'Wait, then repeat the call.',
  CalendarSyncing: 'The calendar is being read for the first time. Wait a few seconds, then repeat the call.',
  ProviderUnavailable: 'The provider does not answer. Wait, then repeat the call.',
  ProviderTimeout: 'The provider did not answer in time. Read the event first: a write may have been done.',
  ProviderError: 'The provider refused or failed. Read the event first: a write may have been done.',
};

/** Returns an error as an answer that says what to do next; undefined for one that is for the log alone. */
export function errorWords(error: unknown): string | undefined {
  if (error instanceof ToolRefusal) return error.message;
  if (!isTold(error)) return undefined;
  const wait = error.retryAfterMs === undefined ? '' : ` Wait ${Math.ceil(error.retryAfterMs / 1_000)} seconds first.`;
  const next = NEXT_STEPS[error.code] ?? 'Tell the person.';
  return [
    `${error.code}: ${quotedStart(error.message, MESSAGE_LENGTH)}`,
    ...detailLines(error),
    ...slotLines(error),
    `${next}${wait}`,
    DATA_NOTE,
  ].join('\n');
}

/** Names the fields that the message leaves out. */
function detailLines({ message, details = [] }: KalendsError): readonly string[] {
  const lines = details
    .filter(({ path }) => path !== '' && !message.includes(path))
    .map((detail) => {
      const rule = message.includes(detail.message) ? '' : `: ${quotedName(detail.message)}`;
      return `  about ${quotedName(detail.path)}${rule}`;
    });
  const others = lines.length - MOST_DETAILS;
  return [...lines.slice(0, MOST_DETAILS), ...(others > 0 ? [`  and about ${others} more fields`] : [])];
}

function slotLines({ nextSlots = [] }: KalendsError): readonly string[] {
  if (nextSlots.length === 0) return [];
  const point = (dateTime: string, timeZone: string) => ({ dateTime, timeZone });
  return [
    'The next free slots:',
    ...nextSlots.map(({ startDateTime, endDateTime, timeZone }) => {
      const [start, end] = [point(startDateTime, timeZone), point(endDateTime, timeZone)];
      return `- ${timesWords({ start, end, isAllDay: false })}`;
    }),
  ];
}

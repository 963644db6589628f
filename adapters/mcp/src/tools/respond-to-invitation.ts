import { z } from 'zod';
import { createWritePair, type WritePlan } from '../previews/write-pair.ts';
import type { ToolContext } from '../tool.ts';
import { quotedName, quotedStart } from '../words/quoted.ts';
import { timesWords } from '../words/time-words.ts';
import { notify } from './event-input.ts';
import { accountId, calendarId, eventId } from './inputs.ts';

const input = z.strictObject({
  accountId,
  calendarId,
  eventId: eventId.describe('An occurrence answers for itself, a series for all its occurrences.'),
  response: z.enum(['accepted', 'tentative', 'declined']),
  comment: z.string().max(1_024).optional().describe('A word to the organizer.'),
  notifyAttendees: notify,
});

/** The tools that answer an invitation. */
export const respondToInvitation = createWritePair({
  name: 'respond_to_invitation',
  title: 'Answer an invitation',
  description: 'Accepts or declines an invitation, or answers that it is tentative.',
  input,
  plan,
});

async function plan({ engine, caller }: ToolContext, sent: z.output<typeof input>): Promise<WritePlan> {
  const { accountId, calendarId, eventId, response, comment, notifyAttendees } = sent;
  const event = await engine.events.get(caller, accountId, calendarId, eventId);
  const reach =
    event.recurringEventId !== undefined
      ? `only ${timesWords(event)}; the answer for the rest of the series stays`
      : event.recurrence === null
        ? timesWords(event)
        : `the whole series, which began on ${timesWords(event)}`;
  const organizer = event.organizer?.email === undefined ? 'the organizer' : quotedName(event.organizer.email);
  return {
    words: [
      `Answer ${response} to ${quotedName(event.title)}. The answer so far: ${event.myResponseStatus ?? 'none'}.`,
      `Reach: ${reach}.`,
      ...(comment ? [`Comment: ${quotedStart(comment, 500)}`] : []),
      notifyAttendees === 'none'
        ? `Mail: none; ${organizer} sees the answer in the event.`
        : `Mail: the provider may tell ${organizer}.`,
    ],
    state: `${event.id} ${event.etag}`,
    async commit() {
      const body = { responseStatus: response, ...(comment === undefined ? {} : { comment }) };
      await engine.events.respond(caller, accountId, calendarId, eventId, body, {
        ifMatch: event.etag,
        ...(notifyAttendees && { notifyAttendees }),
      });
      return [`Answered ${response} to ${quotedName(event.title)}.`, `Reach: ${reach}.`];
    },
  };
}

import { z } from 'zod';
import { createWritePair, type WritePlan } from '../previews/write-pair.ts';
import type { ToolContext } from '../tool.ts';
import { ToolRefusal } from '../tool-refusal.ts';
import { bodyFieldName, namingFields, ofAccount, participantName } from '../words/named-fields.ts';
import { quotedName, quotedStart } from '../words/quoted.ts';
import { instantWords, timesWords } from '../words/time-words.ts';
import { bookingLines, bookingTimes } from './booking-words.ts';
import { checkNew } from './checked-write.ts';
import { emails, notify, textFields } from './event-input.ts';
import { holdId } from './hold-tools.ts';
import { mailWords } from './mail-words.ts';

const input = z.strictObject({
  holdId,
  ...textFields,
  title: z.string().min(1).max(1_024),
  attendees: emails.optional().describe('E-mail addresses of people to invite besides the participants of the hold.'),
  notifyAttendees: notify,
});

/** The tools that book a held slot. */
export const confirmHold = createWritePair({
  name: 'confirm_hold',
  title: 'Book a held slot',
  description: 'Writes the event of a held slot to the calendar of its organizer, and invites the other participants.',
  input,
  plan,
});

async function plan(context: ToolContext, sent: z.output<typeof input>): Promise<WritePlan> {
  const { engine, caller } = context;
  const hold = await engine.holds.get(caller, sent.holdId);
  if (hold.status === 'expired') throw new ToolRefusal('holdId: the hold has expired. Call hold_slot again.');
  const [organizer] = hold.participants;
  if (organizer === undefined)
    throw new ToolRefusal('holdId: the accounts of the hold are gone. Call hold_slot again.');
  const [calendar, ...accounts] = await Promise.all([
    engine.calendars.get(caller, organizer.endUserAccountId, organizer.calendarIds[0] ?? ''),
    ...hold.participants.map(({ endUserAccountId: id }) => ofAccount(id, engine.accounts.get(caller, id))),
  ]);
  const [own = '', ...others] = accounts.map(({ email }) => email);
  const participants = invitable(others, own);
  const times = bookingTimes(hold);
  const { title, location, description, attendees = [], notifyAttendees } = sent;
  const event = {
    title,
    ...(location === undefined ? {} : { location }),
    ...(description === undefined ? {} : { description }),
    ...(sent.attendees === undefined ? {} : { attendees: attendees.map((email) => ({ email })) }),
  };
  if (hold.status === 'held') {
    const listed = new Set(attendees.map((email) => email.toLowerCase()));
    const invited = participants.filter((email) => !listed.has(email.toLowerCase())).map((email) => ({ email }));
    const body = { ...event, start: times.start, end: times.end, attendees: [...(event.attendees ?? []), ...invited] };
    const place = { accountId: organizer.endUserAccountId, calendarId: calendar.id, notifyAttendees };
    await checkNew(context, place, body);
  }
  const until = instantWords(Date.parse(hold.expiresAt), hold.timeZone);
  return {
    words: [
      `Book ${quotedName(title)}: write an event to the calendar ${quotedName(calendar.name)} of ${quotedName(own)}.`,
      `  when: ${timesWords(times)}`,
      ...(participants.length === 0
        ? []
        : [`  invited as participants of the hold: ${participants.map(quotedName).join(', ')}`]),
      ...(location ? [`  place: ${quotedStart(location, 200)}`] : []),
      ...(description ? [`  description: ${quotedStart(description, 500)}`] : []),
      mailWords([...attendees, ...participants], own, notifyAttendees, 'by an invitation'),
      hold.status === 'booked'
        ? 'The slot is booked already: the same arguments answer that booking again, others are refused.'
        : `The slot is held until ${until}. If it is not free any more, nothing is written.`,
    ],
    // A hold never changes but for its status, and a repeated confirmation has to pass: it writes nothing twice.
    state: hold.id,
    async commit() {
      const nameOf = (path: string) =>
        participantName(hold.participants.map(({ endUserAccountId }) => endUserAccountId))(path) ??
        bodyFieldName(attendees, () => 'attendees')(path);
      const confirmation = engine.holds.confirm(caller, hold.id, { event }, notifyAttendees && { notifyAttendees });
      const booking = await namingFields(nameOf, confirmation);
      return ['Booked:', ...bookingLines(booking), 'Keep bookingToken: move_booking and cancel_booking need it.'];
    },
  };
}

/** Returns the addresses of participants as a booking invites them: each once, and the organizer's not at all. */
function invitable(emails: readonly string[], own: string): readonly string[] {
  const known = new Set(['', own.toLowerCase()]);
  return emails.filter((email) => {
    const isNew = !known.has(email.toLowerCase());
    known.add(email.toLowerCase());
    return isNew;
  });
}

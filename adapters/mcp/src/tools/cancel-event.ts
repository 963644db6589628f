import { z } from 'zod';
import { createWritePair, type WritePlan } from '../previews/write-pair.ts';
import type { ToolContext } from '../tool.ts';
import { ToolRefusal } from '../tool-refusal.ts';
import { quotedName } from '../words/quoted.ts';
import { checkEdit } from './checked-write.ts';
import { reachWords, readEdited, scope } from './edited-event.ts';
import { notify } from './event-input.ts';
import { requireSplittable } from './guest-writes.ts';
import { accountId, calendarId, eventId } from './inputs.ts';
import { mailWords } from './mail-words.ts';

const input = z.strictObject({ accountId, calendarId, eventId, scope, notifyAttendees: notify });

/** The tools that cancel an event, an occurrence, or more of a series. */
export const cancelEvent = createWritePair({
  name: 'cancel_event',
  title: 'Cancel an event',
  description: 'Cancels an event, one occurrence, an occurrence and all later ones, or a whole series.',
  input,
  isDestructive: true,
  plan,
});

async function plan(context: ToolContext, sent: z.output<typeof input>): Promise<WritePlan> {
  const { engine, caller } = context;
  const edited = await readEdited(context, sent);
  const { event, scope, title, people, state, ownEmail } = edited;
  if (event.isCancelled) throw new ToolRefusal('eventId: this occurrence is cancelled already. Nothing is to be done.');
  await checkEdit(context, sent, edited);
  requireSplittable(edited);
  const reach = reachWords(edited);
  return {
    words: [
      `Cancel ${quotedName(title)}.`,
      reach,
      mailWords(people, ownEmail, sent.notifyAttendees, 'that it is cancelled'),
    ],
    state,
    async commit() {
      const { accountId, calendarId, eventId, notifyAttendees } = sent;
      await engine.events.delete(caller, accountId, calendarId, eventId, {
        ifMatch: event.etag,
        ...(scope && { scope }),
        ...(notifyAttendees && { notifyAttendees }),
      });
      return [`Cancelled ${quotedName(title)}.`, reach];
    },
  };
}

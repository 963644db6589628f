import { notifyAttendees } from 'kalends/model';
import { z } from 'zod';

const text = (most: number, description: string) => z.string().max(most).describe(description);

export const recurrenceLines = z
  .array(z.string().max(8_192))
  .min(1)
  .max(64)
  .describe('RFC 5545 lines such as RRULE:FREQ=WEEKLY;BYDAY=WE. The rule has to produce start.');
export const emails = z.array(z.email().max(320)).min(1).max(200);

/** Fields of texts that an event may have. */
export const textFields = {
  title: text(1_024, 'Title.').optional(),
  location: text(1_024, 'Place; empty for none.').optional(),
  description: text(8_192, 'Notes; empty for none.').optional(),
};

export const notify = notifyAttendees
  .optional()
  .describe('Who gets mail about it: all, external or none. By default the provider tells attendees what they see.');

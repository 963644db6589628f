import { z } from 'zod';
import { dateTimeText, PAGE_SIZE, pageParameters } from './primitives.ts';

/** An object of the provider that cannot be read: set aside alone, with its last good version left in place. */
export const unreadableObject = z
  .object({
    kind: z.enum(['calendar', 'event', 'part']).meta({
      description: 'part: the event is shown without a part that cannot be read, such as a rule line.',
    }),
    calendarId: z.string().nullable().meta({ description: 'Null for an entry of the calendar list.' }),
    objectId: z.string().nullable().meta({ description: "The provider's id; null where it sent no usable one." }),
    reason: z.string().meta({ description: 'Field and rule, never a value.' }),
    since: dateTimeText.describe('Since when it cannot be read.'),
  })
  .meta({
    id: 'UnreadableObject',
    description: 'An object of the provider that cannot be read; its last good version is still shown.',
  });

/** Query of GET /v1/endUserAccounts/{id}/unreadableObjects. */
export const unreadableListQuery = z
  .strictObject(pageParameters(PAGE_SIZE.unreadableObjects.maximum))
  .describe('Query of the list of unreadable objects.');

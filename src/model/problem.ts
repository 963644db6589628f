import { z } from 'zod';
import { ERROR_STATUS, type ErrorCode } from '../errors.ts';
import { freeSlot } from './hold.ts';

export const errorCode = z
  .enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]])
  .describe('Stable name of an error.');

/** RFC 9457 problem details with the extensions `code`, `message`, `details`, `nextSlots`, `requestId`. */
export const problem = z
  .object({
    type: z.string().describe('URI of the kind of error.'),
    title: z.string().describe('Name of the kind of error, for people.'),
    status: z.number().int().describe('Status of the answer.'),
    detail: z.string().describe('The fault, and the remedy where there is one.'),
    code: errorCode,
    message: z.string().describe('The same as `detail`.'),
    details: z
      .array(
        z.object({
          path: z.string().describe('Invalid field, dotted: `attendees.0.email`.'),
          message: z.string().describe('Rule that the field breaks.'),
        }),
      )
      .optional()
      .describe('The invalid fields of an InvalidRequest.'),
    nextSlots: z
      .array(freeSlot)
      .optional()
      .describe('The next free slots of the same length, the earliest first, with SlotTaken.'),
    requestId: z.string().describe("Id of the request in the operator's logs."),
  })
  .meta({ id: 'Problem', description: 'An error as RFC 9457 problem details.' });

import { z } from 'zod';

/** Assignments that count together. */
export const assignmentPool = z
  .strictObject({
    pool: z
      .string()
      .min(1, 'must not be empty')
      .max(255, 'must be at most 255 characters')
      .describe(
        'Your name for it, such as `sales`: assignments of one pool count together, in your application alone.',
      ),
    sinceDateTime: z
      .string()
      .optional()
      .describe('Assignments before it do not count: ISO 8601; without an offset, in the `timeZone` of the request.'),
  })
  .meta({ id: 'AssignmentPool', description: 'A pool of assignments, which holds record.' });

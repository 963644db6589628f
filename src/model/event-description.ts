import { z } from 'zod';

/** Forms in which a description can be read. */
export const descriptionFormat = z
  .enum(['html', 'text'], { error: 'must be html or text' })
  .describe('Form in which a description is read.');

/** Query of GET …/{eventId}/description. */
export const eventDescriptionQuery = z
  .strictObject({ format: descriptionFormat.default('html') })
  .describe('Query of the description of an event.');

/** Answer of GET …/{eventId}/description. */
export const eventDescription = z
  .object({
    format: descriptionFormat,
    content: z.string().meta({
      description: 'Empty without a description. HTML is as others wrote it: clean it before a page shows it.',
    }),
  })
  .meta({ id: 'EventDescription', description: 'The description of an event, as the provider has it now.' });

import { z } from 'zod';

/** Forms in which a description can be read. */
export const descriptionFormat = z.enum(['html', 'text'], { error: 'must be html or text' });
export type DescriptionFormat = z.infer<typeof descriptionFormat>;

/** Query of GET …/{eventId}/description. */
export const eventDescriptionQuery = z.strictObject({ format: descriptionFormat.default('html') });
export type EventDescriptionQuery = z.input<typeof eventDescriptionQuery>;

/** Answer of GET …/{eventId}/description. */
export const eventDescription = z
  .object({
    format: descriptionFormat,
    content: z.string().meta({
      description: 'Empty without a description. HTML is as others wrote it: clean it before a page shows it.',
    }),
  })
  .meta({ id: 'EventDescription' });
export type EventDescription = z.infer<typeof eventDescription>;

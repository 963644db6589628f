import { z } from 'zod';

/** A file, an item or a link at an event, without its content. */
export const eventAttachment = z
  .object({
    id: z.string().meta({ description: 'Names the attachment within its event.' }),
    name: z.string().describe('File name, or title of the item.'),
    contentType: z.string().nullable().meta({ description: 'Media type; null where the provider names none.' }),
    size: z.number().nullable().meta({ description: 'Bytes; null where the provider does not say.' }),
    isInline: z.boolean().meta({ description: 'Whether it is part of the description, such as a picture.' }),
    url: z.string().nullable().meta({ description: 'Where it can be opened; null where the provider gives no link.' }),
  })
  .meta({ id: 'EventAttachment', description: 'A file, an item or a link at an event, without its content.' });

/** Answer of GET …/{eventId}/attachments: all of them, in the provider's order. */
export const eventAttachmentList = z
  .object({ data: z.array(eventAttachment).describe("All attachments, in the provider's order.") })
  .meta({ id: 'EventAttachmentList', description: 'The attachments of an event.' });

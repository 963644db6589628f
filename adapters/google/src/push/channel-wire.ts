import { z } from 'zod';

/** A notification channel; `expiration` is epoch milliseconds as text. */
export const wireChannel = z.object({
  id: z.string(),
  resourceId: z.string(),
  expiration: z.union([z.string(), z.number()]).nullish(),
});

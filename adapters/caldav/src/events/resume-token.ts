import { ProviderError } from 'kalends/ports';
import { z } from 'zod';

const schema = z.object({
  version: z.literal(1),
  /** Sync token of a sync-collection; absent on a server without. */
  sync: z.string().min(1).optional(),
  /** Collection tag that was read before. */
  ctag: z.string().min(1).optional(),
  /** Objects of the calendar when they were last listed, less those deleted since; with `sync` alone. */
  size: z.int().min(0).optional(),
  /** Whether the last pull moved the sync token: a change of the same instant may then be missing (SOGo). */
  again: z.boolean().optional(),
  /** Whether objects were read while the addresses of the account were unknown. */
  unsure: z.boolean().optional(),
  /** Paths of objects that the server failed to hand out, each with the pulls that have tried: it may have failed as servers do at times. */
  late: z.array(z.tuple([z.string(), z.int()])).optional(),
  /** Zone of the calendar in which its objects were read; absent in tokens of former versions. */
  zone: z.string().optional(),
  /** Path and tag of every object; of a server without sync-collection alone. */
  objects: z.array(z.tuple([z.string(), z.string().nullable()])).optional(),
});

/** Where a pull of a calendar ended. */
export type ResumeToken = Omit<z.infer<typeof schema>, 'version'>;

export function writeToken(token: ResumeToken): string {
  return JSON.stringify({ version: 1, ...token });
}

/** @throws ProviderError sync-token-expired for a text that is none of ours */
export function readToken(text: string): ResumeToken {
  try {
    const { version: _version, ...token } = schema.parse(JSON.parse(text));
    if (token.sync !== undefined || token.objects !== undefined) return token;
  } catch {
    // As for one without content.
  }
  throw new ProviderError('sync-token-expired', 'the resume point is none of this provider');
}

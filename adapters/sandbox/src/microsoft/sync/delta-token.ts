import { z } from 'zod';
import { GraphError } from '../api/graph-error.ts';
import type { MicrosoftWorld } from '../state.ts';

/** Place of a line in the order of changes: change number, event key, part of the event. */
export type DeltaPosition = readonly [seq: number, key: string, part: string];

const deltaToken = z.object({
  calendarKey: z.string(),
  window: z.object({ from: z.number(), to: z.number() }),
  since: z.number(),
  removalsSince: z.number(),
  after: z.tuple([z.number(), z.string(), z.string()]).nullable(),
  issuedAt: z.number(),
});

/** Content of a token: the frozen window, and the client's position. */
export type DeltaToken = Omit<Readonly<z.infer<typeof deltaToken>>, 'after'> & { readonly after: DeltaPosition | null };

export const encodeDeltaToken = (token: DeltaToken): string => Buffer.from(JSON.stringify(token)).toString('base64url');

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Reads a token of ours.
 * @throws GraphError 410 for one that is malformed, too old, or was expired through the controls
 */
export function readDeltaToken(world: MicrosoftWorld, text: string): DeltaToken {
  const { deltaTokensDeadBefore, deltaTokenError, deltaTokenLifeMs } = world.state.settings;
  const parsed = deltaToken.safeParse(decode(text));
  if (!parsed.success) throw new GraphError(410, 'syncStateInvalid', 'The sync state is invalid.');
  const { issuedAt } = parsed.data;
  if (issuedAt < deltaTokensDeadBefore || issuedAt + deltaTokenLifeMs < world.kernel.clock.now()) {
    throw new GraphError(410, deltaTokenError, 'The sync state generation is not found; a full resync is required.');
  }
  return parsed.data;
}

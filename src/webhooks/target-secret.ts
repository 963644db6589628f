import { targetKeyOwner } from '../data-keys/index.ts';
import type { Sealer, TargetRow } from '../ports/index.ts';

type SecretOwner = Pick<TargetRow, 'applicationId' | 'id'>;

const FIELD = 'endpointSecret';

/** Seals a target's signing secret under a data key of its own. */
export async function sealSecret(
  sealer: Sealer,
  owner: SecretOwner,
  secret: string,
): Promise<Pick<TargetRow, 'wrappedKey' | 'sealedSecret'>> {
  const wrappedKey = await sealer.createKey(targetKeyOwner(owner));
  return { wrappedKey, sealedSecret: await sealer.seal(wrappedKey, targetKeyOwner(owner), FIELD, secret) };
}

/** Seals the target's next secret under its existing data key. */
export function sealNextSecret(sealer: Sealer, row: TargetRow, secret: string): Promise<string> {
  return sealer.seal(row.wrappedKey, targetKeyOwner(row), FIELD, secret);
}

/** Maximum number of cached opened secrets: a receiver of one message usually gets more. */
const MAX_CACHED = 2_000;

/** Opens targets' signing secrets. */
export interface SecretReader {
  /**
   * Returns the secrets that sign at this time: the current one, and the previous one for a day after a rotation.
   * @throws KalendsError InternalError when one was altered or sealed under a secret that is lost
   */
  openAll(row: TargetRow, at: number): Promise<readonly string[]>;
}

export function createSecretReader(sealer: Sealer): SecretReader {
  const opened = new Map<string, string>();

  const open = async (row: TargetRow, sealed: string): Promise<string> => {
    const key = `${row.id} ${sealed}`;
    const known = opened.get(key);
    if (known !== undefined) return known;
    const secret = await sealer.open(row.wrappedKey, targetKeyOwner(row), FIELD, sealed);
    const oldest = opened.size >= MAX_CACHED ? opened.keys().next().value : undefined;
    if (oldest !== undefined) opened.delete(oldest);
    opened.set(key, secret);
    return secret;
  };

  return {
    async openAll(row, at) {
      const current = await open(row, row.sealedSecret);
      const { previousSecret } = row;
      if (previousSecret === null || previousSecret.until <= at) return [current];
      return [current, await open(row, previousSecret.sealed)];
    },
  };
}

import { targetKeyOwner } from '../data-keys/index.ts';
import type { Sealer, TargetRow } from '../ports/index.ts';

type SecretOwner = Pick<TargetRow, 'applicationId' | 'id'>;

const FIELD = 'endpointSecret';
const PREVIOUS_FIELD = 'previousEndpointSecret';

/** Seals a target's signing secret under a data key of its own. */
export async function sealSecret(
  sealer: Sealer,
  owner: SecretOwner,
  secret: string,
): Promise<Pick<TargetRow, 'wrappedKey' | 'sealedSecret'>> {
  const wrappedKey = await sealer.createKey(targetKeyOwner(owner));
  return { wrappedKey, sealedSecret: await sealer.seal(wrappedKey, targetKeyOwner(owner), FIELD, secret) };
}

/**
 * Seals the target's next secret under its existing data key, and the present one anew: each of the two columns has a field name
 * of its own, so that a secret which has ended does not open as the present one.
 */
export async function sealNextSecret(
  sealer: Sealer,
  row: TargetRow,
  secret: string,
): Promise<{ readonly sealed: string; readonly previousSealed: string }> {
  const key = await sealer.unwrap(row.wrappedKey, targetKeyOwner(row));
  return {
    sealed: key.seal(FIELD, secret),
    previousSealed: key.seal(PREVIOUS_FIELD, key.open(FIELD, row.sealedSecret)),
  };
}

/**
 * Opens the secrets that sign at this time: the current one, and the previous one for a day after a rotation.
 * @throws KalendsError InternalError when one was altered or sealed under a key that is lost; with status 503 when the keyring
 * is unavailable
 */
export async function openSecrets(sealer: Sealer, row: TargetRow, at: number): Promise<readonly string[]> {
  const key = await sealer.unwrap(row.wrappedKey, targetKeyOwner(row));
  const current = key.open(FIELD, row.sealedSecret);
  const { previousSecret } = row;
  if (previousSecret === null || previousSecret.until <= at) return [current];
  return [current, key.open(PREVIOUS_FIELD, previousSecret.sealed)];
}

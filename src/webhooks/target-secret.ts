import { targetKeyOwner } from '../data-keys/index.ts';
import type { DataKey, Sealer, TargetRow } from '../ports/index.ts';

type SecretOwner = Pick<TargetRow, 'applicationId' | 'id'>;

const FIELD = 'endpointSecret';
const PREVIOUS_FIELD = 'previousEndpointSecret';
/** Each signs every message, and lengthens its headers. */
const MOST_PREVIOUS = 4;

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
 * Seals the target's next secret under its existing data key, and the present one anew with those before it that still sign: each of the
 * two columns has a field name of its own, so that a secret which has ended does not open as the present one.
 */
export async function sealNextSecret(
  sealer: Sealer,
  row: TargetRow,
  secret: string,
  at: number,
): Promise<{ readonly sealed: string; readonly previousSealed: string }> {
  const key = await sealer.unwrap(row.wrappedKey, targetKeyOwner(row));
  const earlier = openPrevious(key, row, at).slice(0, MOST_PREVIOUS - 1);
  const texts = earlier.map(({ secret: text, until }) => `${text}@${until}`);
  return {
    sealed: key.seal(FIELD, secret),
    previousSealed: key.seal(PREVIOUS_FIELD, [key.open(FIELD, row.sealedSecret), ...texts].join(' ')),
  };
}

/**
 * Opens the secrets that sign at this time, the latest first: the current one, and earlier ones for a day after their rotation.
 * @throws KalendsError InternalError when one was altered or sealed under a key that is lost; with status 503 when the keyring
 * is unavailable
 */
export async function openSecrets(sealer: Sealer, row: TargetRow, at: number): Promise<readonly string[]> {
  const key = await sealer.unwrap(row.wrappedKey, targetKeyOwner(row));
  return [key.open(FIELD, row.sealedSecret), ...openPrevious(key, row, at).map(({ secret }) => secret)];
}

interface PreviousSecret {
  readonly secret: string;
  readonly until: number;
}

/** The latest signs until the column says so, and those before it, after spaces, until the time behind them. */
function openPrevious(key: DataKey, { previousSecret }: TargetRow, at: number): readonly PreviousSecret[] {
  if (previousSecret === null || previousSecret.until <= at) return [];
  const texts = key.open(PREVIOUS_FIELD, previousSecret.sealed).split(' ');
  return texts
    .map((text) => text.split('@'))
    .map(([secret = '', until = previousSecret.until]) => ({ secret, until: Number(until) }))
    .filter(({ until }) => until > at);
}

import type { Sealer, SubscriptionRow } from '../ports/index.ts';

type SecretOwner = Pick<SubscriptionRow, 'applicationId' | 'id'>;

/** Seals a subscription's signing secret under a data key of its own. */
export async function sealSecret(
  sealer: Sealer,
  owner: SecretOwner,
  secret: string,
): Promise<Pick<SubscriptionRow, 'wrappedKey' | 'sealedSecret'>> {
  const wrappedKey = await sealer.createKey(ownerText(owner));
  return { wrappedKey, sealedSecret: await sealer.seal(wrappedKey, ownerText(owner), 'endpointSecret', secret) };
}

/** The signing secret. @throws KalendsError InternalError when it was altered or sealed under a lost secret */
export function openSecret(sealer: Sealer, row: SubscriptionRow): Promise<string> {
  return sealer.open(row.wrappedKey, ownerText(row), 'endpointSecret', row.sealedSecret);
}

const ownerText = (owner: SecretOwner) => `${owner.applicationId}/${owner.id}`;

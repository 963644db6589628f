import type { AccountRow } from 'kalends/ports';
import type { Selectable } from 'kysely';
import type { Tables } from '../schema/schema.ts';

export const foldCase = (text: string) => text.toLowerCase();

/** Parts the e-mail from the person in the key of one that is not verified. No id of a person holds it. */
export const UNVERIFIED = '\n';

/** Returns what is unique among the accounts of an application and provider: an e-mail that is not verified is not, but the person is. */
export function emailKeyOf({ email, isEmailVerified, providerAccountId }: AccountRow): string {
  const isShared = isEmailVerified === false && providerAccountId !== null;
  return isShared ? `${foldCase(email)}${UNVERIFIED}${providerAccountId}` : foldCase(email);
}

/** Whether the key of a row is that of an e-mail that is not verified. */
export function isUnverified({
  email_key,
  provider_account_id,
}: Pick<Selectable<Tables['kalends_account']>, 'email_key' | 'provider_account_id'>): boolean {
  return email_key.endsWith(`${UNVERIFIED}${provider_account_id}`);
}

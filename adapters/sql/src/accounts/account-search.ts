import { type RawBuilder, sql } from 'kysely';
import { UNVERIFIED } from './email-key.ts';

/** Texts that differ in case alone, though each of them is lower case: İ in lower case is an i with a dot above. */
const SAME_IN_UPPER_CASE = [
  ['ß', 'ss'],
  ['ς', 'σ'],
  ['i\u0307', 'i'],
  ['ı', 'i'],
] as const;

/** Whether an account's e-mail address or external id contains a text, in any case. Both keys are stored in lower case. */
export function containsText(search: string): RawBuilder<boolean> {
  const text = SAME_IN_UPPER_CASE.reduce((all, [from, to]) => all.replaceAll(from, to), search.toLowerCase());
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const contains = (key: RawBuilder<unknown>) => {
    const folded = SAME_IN_UPPER_CASE.reduce((all, [from, to]) => sql`replace(${all}, ${from}, ${to})`, key);
    return sql`${folded} like ${pattern} escape '\\'`;
  };
  const email = sql`replace(email_key, ${UNVERIFIED} || coalesce(provider_account_id, ''), '')`;
  return sql<boolean>`(${contains(email)} or ${contains(sql.ref('external_key'))})`;
}

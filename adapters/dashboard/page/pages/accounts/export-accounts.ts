import type { EndUserAccount } from 'kalends/model';
import { type Call, request } from '../../api/request.ts';
import type { PageOf } from '../../api/use-pages.ts';
import { csvOf } from '../../parts/csv-of.ts';

const COLUMNS = [
  'id',
  'email',
  'providerType',
  'status',
  'externalId',
  'providerAccountId',
  'authorizedScopes',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof EndUserAccount)[];

export type ExportFormat = 'csv' | 'json';

/** Reads all pages of a list, one after the other; `onCount` is told how many items there are so far. */
export async function readAll(
  call: Call,
  onCount: (count: number) => void,
  signal: AbortSignal,
): Promise<readonly EndUserAccount[]> {
  const all: EndUserAccount[] = [];
  let pageToken: string | null = null;
  do {
    const query: Call['query'] = { ...call.query, pageToken: pageToken ?? undefined };
    const page: PageOf<EndUserAccount> = await request({ ...call, query }, signal);
    all.push(...page.data);
    onCount(all.length);
    pageToken = page.nextPageToken;
  } while (pageToken !== null);
  return all;
}

/** Returns accounts as a file's text. */
export function textOf(accounts: readonly EndUserAccount[], format: ExportFormat): string {
  if (format === 'json') return JSON.stringify(accounts, null, 2);
  return csvOf(
    COLUMNS,
    accounts.map((account) => COLUMNS.map((column) => cellOf(account[column]))),
  );
}

const cellOf = (value: string | readonly string[] | null): string =>
  typeof value === 'string' ? value : (value ?? []).join(' ');

import type { Engine } from 'kalends';
import type { DemoValues } from './demo-document.ts';
import type { DevConnection } from './dev-state.ts';
import { thisWeek } from './this-week.ts';

/** Returns what the API page fills in: the first mailbox, this week, and the account once it is connected. */
export async function demoValues(
  engine: Pick<Engine, 'accounts'>,
  { applicationId, accounts: [first] }: Pick<DevConnection, 'applicationId' | 'accounts'>,
  siteUrl: string,
  now: number,
): Promise<DemoValues> {
  const { email, providerType } = first ?? {};
  const { data } = await engine.accounts.list({ applicationId }, { search: String(email) });
  const id = data.find((account) => account.email === email)?.id;
  return {
    ...thisWeek(now),
    app_id: applicationId,
    redirectUrl: `${siteUrl}/connected`,
    calendarId: email,
    calendarIds: [email],
    email,
    providerType,
    ...(first !== undefined && 'refreshToken' in first ? { refreshToken: first.refreshToken } : {}),
    ...(id === undefined ? {} : { id, endUserAccountId: id }),
  };
}

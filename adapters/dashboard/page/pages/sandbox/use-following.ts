import type { Calendar, EndUserAccount, OAuthClient, SubscriptionCreated, WebhookSubscription } from 'kalends/model';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ProblemError } from '../../api/problem.ts';
import { request } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { type Action, useAction } from '../../api/use-action.ts';
import { sandboxTexts } from '../../texts/en/sandbox.ts';
import { inbox, readInbox } from './inbox.ts';
import { calendarIdOf, type Mailbox, PROVIDER_TYPES } from './mailboxes.ts';

export type FollowState = keyof typeof sandboxTexts.follow.states;

/** Whether the application follows a mailbox, and the act that makes it so. */
export interface Following {
  readonly state: FollowState | undefined;
  readonly follow: Action<[], void>;
  readonly error: ProblemError | undefined;
  reload(): Promise<void>;
}

interface List<Item> {
  readonly data: readonly Item[];
}

/** Reads whether a mailbox is connected, and one of its calendars leads to the inbox. */
export function useFollowing(mailbox: Mailbox, ownId: string | undefined): Following {
  const calendarId = ownId === undefined ? undefined : calendarIdOf(mailbox, ownId);
  const [state, setState] = useState<FollowState>();
  const latest = useRef(0);
  const [refusal, setRefusal] = useState<ProblemError>();
  const reload = async () => {
    latest.current += 1;
    const own = latest.current;
    try {
      const found = await stateOf(await findAccount(mailbox), calendarId);
      if (own !== latest.current) return;
      setState(found);
      setRefusal(undefined);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      if (own === latest.current) setRefusal(error);
    }
  };
  const follow = useAction(async () => {
    const account = await findAccount(mailbox);
    const connected = account?.status === 'ACTIVE' ? account : await connect(mailbox);
    if ((await stateOf(connected, calendarId)) !== 'followed') await subscribe(connected.id, calendarId);
    await reload();
  });
  useEffect(() => {
    setState(undefined);
    void reload();
    return () => {
      latest.current += 1;
    };
  }, [mailbox.email, calendarId]);
  return { state, follow, error: follow.error ?? refusal, reload };
}

async function findAccount({ provider, email }: Mailbox): Promise<EndUserAccount | undefined> {
  const query = { search: email };
  const { data } = await request<List<EndUserAccount>>({ path: '/v1/endUserAccounts', query });
  return data.find((account) => isOf(account, email, PROVIDER_TYPES[provider]));
}

async function stateOf(account: EndUserAccount | undefined, calendarId: string | undefined): Promise<FollowState> {
  if (account === undefined) return 'unconnected';
  if (account.status === 'EXPIRED') return 'expired';
  const { url } = inbox.value ?? (await readInbox());
  const { data } = await request<List<WebhookSubscription>>({ path: `/v1/calendarSubscriptions/${account.id}` });
  const leadsHere = data.some((each) => each.url === url && each.calendarId === calendarId);
  return leadsHere ? 'followed' : 'connected';
}

const isOf = (account: EndUserAccount, email: string, providerType: string): boolean =>
  account.email.toLowerCase() === email.toLowerCase() && account.providerType === providerType;

/** Connects a mailbox with a refresh token or app password that the sandbox gives out, as if its owner had consented. */
async function connect(mailbox: Mailbox): Promise<EndUserAccount> {
  const { provider, email } = mailbox;
  const secret = provider === 'caldav' ? await appPasswordOf(email) : await refreshTokenOf(mailbox);
  const body = { email, providerType: PROVIDER_TYPES[provider], ...secret };
  return await request<EndUserAccount>({ method: 'POST', path: '/v1/endUserAccounts', body });
}

async function appPasswordOf(email: string) {
  const { password, serverUrl } = await request<{ readonly password: string; readonly serverUrl: string }>({
    method: 'POST',
    path: '/sandbox/caldav/app-passwords',
    body: { email },
  });
  return { credentials: { kind: 'password', serverUrl, username: email, password } };
}

async function refreshTokenOf({ provider, email }: Mailbox) {
  const providerType = PROVIDER_TYPES[provider];
  const { data } = await request<List<OAuthClient>>({ path: ofApplication('/oauthClients') });
  const client = data.find((each) => each.providerType === providerType);
  if (client === undefined) {
    const message = sandboxTexts.follow.noClient(sandboxTexts.providers[provider]);
    throw new ProblemError(409, { code: 'Conflict', message });
  }
  return await request<{ readonly refreshToken: string }>({
    method: 'POST',
    path: `/sandbox/${provider}/refresh-tokens`,
    body: { email, clientId: client.clientId },
  });
}

/** Subscribes the inbox to a calendar, by default the primary one, and gives it the secret. */
async function subscribe(accountId: string, calendarId: string | undefined): Promise<void> {
  const { data } = await request<List<Calendar>>({ path: `/v1/calendars/${accountId}` });
  const calendar = data.find(({ id }) => id === calendarId) ?? data.find(({ isPrimary }) => isPrimary === true);
  const { url } = await readInbox();
  const created = await request<SubscriptionCreated>({
    method: 'POST',
    path: `/v1/calendarSubscriptions/${accountId}`,
    body: { calendarId: calendar?.id, webhookUrl: url },
  });
  await request({ method: 'POST', path: '/sandbox/inbox/secrets', body: { secret: created.endpointSecret } });
}

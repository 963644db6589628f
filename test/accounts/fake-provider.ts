import { createHash } from 'node:crypto';
import {
  type CalendarChange,
  type EventChange,
  type OAuthProvider,
  type ProviderCalendar,
  ProviderError,
  type ProviderIdentity,
  type PushChannelGrant,
  type PushNotification,
} from 'kalends/ports';

/** The provider's record of one grant, by refresh token. */
interface FakeGrant {
  readonly identity: ProviderIdentity;
  scopes: readonly string[] | undefined;
}

/**
 * A provider that lives in memory: as much of the port as the engine's own rooms need to be tested without a network.
 * Every field may be changed by a test.
 */
export function fakeProvider(now: () => number) {
  const grants = new Map<string, FakeGrant>();
  const calls: string[] = [];
  let serial = 0;
  const state = {
    calls,
    grants,
    /** Each refresh gives a new refresh token and forgets the old one, as Microsoft does. */
    rotates: false,
    tokenLifeMs: 3_600_000,
    /** Whether token answers carry the identity; otherwise `identify` is asked. */
    namesIdentity: true,
    /** Next calls of this method reject with the error. */
    failures: new Map<string, ProviderError>(),
    /** Awaited by `refresh` before it answers. */
    refreshGate: Promise.resolve() as Promise<void>,
    /** Awaited by `refresh` after the provider has decided: the way back of its answer. */
    wayBack: async (): Promise<void> => undefined,
    /** The body that exchanged each code; `challenge` is computed from the verifier. */
    exchanges: [] as { readonly redirectUri: string; readonly challenge: string; readonly nonce: string }[],
    /** The scopes that each refresh was told. */
    askedScopes: [] as (readonly string[] | undefined)[],
    /** Takes the place of the scopes on record at each refresh that names others. */
    narrowedTo: undefined as readonly string[] | undefined,
    codes: new Map<
      string,
      {
        readonly refreshToken: string | undefined;
        readonly identity: ProviderIdentity;
        readonly scopes?: readonly string[];
      }
    >(),
    calendars: [] as ProviderCalendar[],
    events: new Map<string, EventChange[]>(),
    openChannels: new Map<string, { readonly token: string; readonly address: string; readonly resource: unknown }>(),
    renewsInPlace: false,
    pushUnsupported: false,
    grant(
      refreshToken: string,
      email: string,
      providerAccountId: string | null = `id-${email}`,
      isEmailVerified = true,
    ) {
      grants.set(refreshToken, { identity: { email, providerAccountId, isEmailVerified }, scopes: ['calendar'] });
    },
    provider: undefined as unknown as OAuthProvider,
  };
  const failIfAsked = (method: string) => {
    calls.push(method);
    const failure = state.failures.get(method);
    if (failure !== undefined) throw failure;
  };
  const grantOf = (refreshToken: string, scopes: readonly string[] | undefined, identity: ProviderIdentity) => ({
    accessToken: `access-${refreshToken}-${++serial}`,
    expiresAt: now() + state.tokenLifeMs,
    scopes,
    identity: state.namesIdentity ? identity : undefined,
  });

  state.provider = {
    name: 'fake',
    mappingVersion: 1,
    capabilities() {
      throw new Error('the fake provider has no capabilities');
    },
    authorization: {
      kind: 'oauth',
      authorizationUrl: (input) =>
        `https://provider.test/authorize?${new URLSearchParams({
          client_id: input.client.clientId,
          redirect_uri: input.redirectUri,
          state: input.state,
          nonce: input.nonce,
          code_challenge: input.codeChallenge,
          ...(input.client.scopes ? { scope: input.client.scopes.join(' ') } : {}),
          ...(input.prompt === undefined ? {} : { prompt: input.prompt }),
          ...(input.loginHint === undefined ? {} : { login_hint: input.loginHint }),
        })}`,
      async exchangeCode({ code, codeVerifier, nonce, redirectUri }) {
        failIfAsked('exchangeCode');
        const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
        state.exchanges.push({ redirectUri, challenge, nonce });
        const issued = state.codes.get(code);
        if (issued === undefined) throw new ProviderError('invalid-grant', 'unknown code');
        const { refreshToken, identity } = issued;
        const scopes = issued.scopes ?? ['calendar'];
        if (refreshToken !== undefined) grants.set(refreshToken, { identity, scopes });
        return { ...grantOf(refreshToken ?? 'none', scopes, identity), refreshToken };
      },
      async refresh({ refreshToken, scopes }) {
        state.askedScopes.push(scopes);
        await state.refreshGate;
        failIfAsked('refresh');
        const known = grants.get(refreshToken);
        if (known === undefined) throw new ProviderError('invalid-grant', 'dead');
        const { narrowedTo } = state;
        const isNarrowed = narrowedTo !== undefined && scopes?.join(' ') !== narrowedTo.join(' ');
        const granted = isNarrowed ? { scopes: narrowedTo, replacesScopes: true } : { scopes: known.scopes };
        if (!state.rotates) {
          return { ...grantOf(refreshToken, undefined, known.identity), ...granted, refreshToken: undefined };
        }
        const rotated = `${refreshToken.split('#')[0]}#${++serial}`;
        grants.delete(refreshToken);
        grants.set(rotated, known);
        await state.wayBack();
        return { ...grantOf(rotated, known.scopes, known.identity), refreshToken: rotated };
      },
      async identify(accessToken) {
        failIfAsked('identify');
        const known = [...grants].find(([refreshToken]) => accessToken.startsWith(`access-${refreshToken}-`));
        if (known === undefined) throw new ProviderError('unauthorized', 'whose?');
        return known[1].identity;
      },
      coversCalendars: (scopes) => scopes === undefined || scopes.includes('calendar'),
      missingScopes: (scopes) => ['calendar'].filter((scope) => !scopes.includes(scope)),
      async revoke({ refreshToken }) {
        failIfAsked('revoke');
        grants.delete(refreshToken);
      },
    },
    calendars: {
      async *pull() {
        failIfAsked('calendars.pull');
        const changes: CalendarChange[] = state.calendars.map((calendar) => ({ kind: 'calendar', calendar }));
        yield { changes, full: true, nextToken: null };
      },
      exists: async (_session, calendarId) => state.calendars.some(({ id }) => id === calendarId),
      create: () => Promise.reject(new Error('not used')),
      update: () => Promise.reject(new Error('not used')),
      delete: () => Promise.reject(new Error('not used')),
    },
    events: {
      async *pull(session, calendar, token) {
        await session.accessToken();
        failIfAsked('events.pull');
        const changes = state.events.get(calendar.id) ?? [];
        state.events.set(calendar.id, []);
        yield { changes, full: token === null, nextToken: `token-${++serial}` };
      },
      get: async () => [],
      findCreated: async () => [],
      listAttachments: () => Promise.reject(new Error('not used')),
      getDescription: () => Promise.reject(new Error('not used')),
      create: () => Promise.reject(new Error('not used')),
      update: () => Promise.reject(new Error('not used')),
      delete: () => Promise.reject(new Error('not used')),
      respond: () => Promise.reject(new Error('not used')),
    },
    push: {
      async open(session, { channelId, token, address, resource, expiresAt }) {
        await session.accessToken();
        failIfAsked('push.open');
        if (state.pushUnsupported) throw new ProviderError('push-unsupported', 'no push here');
        const providerChannelId = state.renewsInPlace ? `graph-${++serial}` : channelId;
        state.openChannels.set(providerChannelId, { token, address, resource });
        return { providerChannelId, resourceId: `resource-${providerChannelId}`, expiresAt };
      },
      async renew(session, { providerChannelId, expiresAt }): Promise<PushChannelGrant | null> {
        await session.accessToken();
        failIfAsked('push.renew');
        if (!state.renewsInPlace) return null;
        if (!state.openChannels.has(providerChannelId)) throw new ProviderError('not-found', 'gone');
        return { providerChannelId, resourceId: `resource-${providerChannelId}`, expiresAt };
      },
      async close(session, { providerChannelId }) {
        await session.accessToken();
        failIfAsked('push.close');
        state.openChannels.delete(providerChannelId);
      },
      async receive(request) {
        const notifications = (await request.json()) as readonly PushNotification[];
        return { response: new Response(null, { status: 202 }), notifications };
      },
    },
  };
  return state;
}

export type FakeProvider = ReturnType<typeof fakeProvider>;

/** A calendar as the fake provider lists it. */
export function fakeCalendar(id: string, overrides: Partial<ProviderCalendar> = {}): ProviderCalendar {
  return {
    id,
    providerTag: null,
    name: id,
    hexColor: '#336699',
    readOnly: false,
    isPrimary: id === 'primary',
    isShared: false,
    timeZone: 'Europe/Berlin',
    inviteEmail: 'ada@example.com',
    allowedOnlineMeetingProviders: [],
    defaultOnlineMeetingProvider: '',
    ...overrides,
  };
}

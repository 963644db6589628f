import { Hono } from 'hono';
import { ControlError, type Kernel, type MailboxSeed, type ProviderSandbox } from '../kernel/kernel.ts';
import { GoogleError, invalidCredentials, notFound } from './api/google-error.ts';
import type { ApiEnv } from './api/route-env.ts';
import { createApiRoutes } from './api/routes.ts';
import { addListEntry, setRole } from './calendars/calendar-access.ts';
import { createCalendar } from './calendars/calendars.ts';
import { createControls } from './controls.ts';
import { finishConferences } from './events/conferences.ts';
import { isKnownZone } from './events/event-time.ts';
import { findMailbox, type GoogleContext, nextRevision } from './google-context.ts';
import { emptyGoogleState, type GoogleState, type Mailbox } from './google-state.ts';
import { importEvents } from './import-calendar.ts';
import { decideAuthorization, showAuthorization } from './oauth/authorization-endpoint.ts';
import { callerOf, consent, mintRefreshToken } from './oauth/grants.ts';
import { publicKeys } from './oauth/id-token.ts';
import { canonicalScopes, FULL_SCOPES } from './oauth/scopes.ts';
import { answerRevoke, answerToken } from './oauth/token-endpoint.ts';
import { flushChanges } from './sync/channels.ts';

/**
 * Creates a stateful server that answers as Google's OAuth endpoints and Calendar API v3 do. Below its root:
 * `/o/oauth2/v2/auth`, `/token`, `/revoke`, `/oauth2/v3/certs`, `/oauth2/v3/userinfo`,
 * `/.well-known/openid-configuration` and `/calendar/v3/…`.
 */
export function createGoogleSandbox(kernel: Kernel): ProviderSandbox {
  const context: GoogleContext = { kernel, state: emptyGoogleState(), changedResources: new Set() };
  const app = createApp(context);
  return {
    async fetch(request, root) {
      finishConferences(context);
      const response = await app.fetch(request, { root });
      flushChanges(context);
      return response;
    },
    snapshot: () => context.state,
    restore(snapshot) {
      context.state = { ...emptyGoogleState(), ...(structuredClone(snapshot) as Partial<GoogleState>) };
      context.changedResources.clear();
    },
    addMailbox: (seed) => addMailbox(context, seed),
    hasMailbox: (email) => findMailbox(context, email) !== undefined,
    mailboxes: () => Object.values(context.state.mailboxes).map((mailbox) => mailbox.email),
    addClient(client) {
      context.state.clients[client.clientId] = { ...client, redirectUris: [...client.redirectUris] };
      kernel.touched();
    },
    issueRefreshToken({ email, clientId, scopes }) {
      if (context.state.clients[clientId] === undefined) throw new ControlError(`clientId: no client ${clientId}`);
      const mailbox = existing(context, email);
      const granted = scopes === undefined ? FULL_SCOPES : canonicalScopes(scopes.join(' '));
      const { grant } = consent(context, { email: mailbox.email, clientId, scopes: granted });
      return mintRefreshToken(context, grant);
    },
    importCalendar(email, source, into = 'new') {
      const mailbox = existing(context, email);
      const isNew = into === 'new';
      const target = isNew
        ? createCalendar(context, mailbox.email, { summary: source.name, timeZone: source.timeZone })
        : context.state.calendars[mailbox.email];
      if (target === undefined) throw new ControlError(`email: ${email} has no primary calendar`);
      if (isNew) addListEntry(context, mailbox, target);
      importEvents(context, target, mailbox.email, source);
      flushChanges(context);
      return target.id;
    },
    shareCalendar({ ownerEmail, calendarId, withEmail, role }) {
      const owner = existing(context, ownerEmail);
      const guest = existing(context, withEmail);
      const calendar = context.state.calendars[calendarId];
      if (calendar?.acl[owner.email] !== 'owner')
        throw new ControlError(`calendarId: ${ownerEmail} owns no ${calendarId}`);
      setRole(context, calendar, guest, role);
      addListEntry(context, guest, calendar);
      flushChanges(context);
      return calendar.id;
    },
    controls: controlsThatTell(context),
  };
}

/** Sends notifications after control verbs, which change state as other people would. */
function controlsThatTell(context: GoogleContext): ProviderSandbox['controls'] {
  return Object.fromEntries(
    Object.entries(createControls(context)).map(([name, verb]) => [
      name,
      (input: Readonly<Record<string, unknown>>) => {
        const result = verb(input);
        flushChanges(context);
        return result;
      },
    ]),
  );
}

type RootEnv = ApiEnv & { Bindings: { readonly root: string } };

function createApp(context: GoogleContext): Hono<RootEnv> {
  const app = new Hono<RootEnv>();
  app.use(async (c, next) => {
    c.set('google', context);
    c.set('root', c.env.root);
    await next();
  });
  app.get('/o/oauth2/v2/auth', (c) => showAuthorization(context, new URL(c.req.url), c.env.root));
  app.post('/o/oauth2/v2/auth', async (c) =>
    decideAuthorization(context, new URLSearchParams(await c.req.text()), c.env.root),
  );
  app.post('/token', (c) => answerToken(context, c.req.raw, c.env.root));
  app.post('/revoke', (c) => answerRevoke(context, c.req.raw));
  app.get('/oauth2/v3/certs', () => publicKeys(context));
  app.get('/oauth2/v3/userinfo', (c) => userInfo(context, c.req.header('authorization')));
  app.get('/.well-known/openid-configuration', (c) => c.json(discovery(c.env.root)));
  app.route('/calendar/v3', createApiRoutes() as unknown as Hono<RootEnv>);
  app.notFound(() => notFound().toResponse());
  app.onError((error) => {
    if (error instanceof GoogleError) return error.toResponse();
    throw error;
  });
  return app;
}

function userInfo(context: GoogleContext, authorization: string | undefined): Response {
  const caller = callerOf(context, /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1] ?? '');
  if (caller === undefined) throw invalidCredentials();
  const { subject, email, name } = caller.mailbox;
  return Response.json({ sub: subject, email, email_verified: true, name });
}

function discovery(root: string) {
  return {
    issuer: root,
    authorization_endpoint: `${root}/o/oauth2/v2/auth`,
    token_endpoint: `${root}/token`,
    revocation_endpoint: `${root}/revoke`,
    userinfo_endpoint: `${root}/oauth2/v3/userinfo`,
    jwks_uri: `${root}/oauth2/v3/certs`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'email', 'profile'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    code_challenge_methods_supported: ['plain', 'S256'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
  };
}

function existing(context: GoogleContext, email: string): Mailbox {
  const mailbox = findMailbox(context, email);
  if (mailbox === undefined) throw new ControlError(`email: no Google mailbox ${email}`);
  return mailbox;
}

function addMailbox(context: GoogleContext, seed: MailboxSeed): void {
  const email = seed.email.toLowerCase();
  if (findMailbox(context, email) !== undefined) return;
  if (!isKnownZone(seed.timeZone)) throw new ControlError(`timeZone: not an IANA zone: ${seed.timeZone}`);
  const mailbox: Mailbox = {
    email,
    name: seed.name,
    subject: `1${context.kernel.randomText(20, '0123456789')}`,
    timeZone: seed.timeZone,
    calendarList: {},
  };
  context.state.mailboxes[email] = mailbox;
  context.state.calendars[email] = {
    id: email,
    kind: 'primary',
    summary: email,
    timeZone: seed.timeZone,
    dataOwner: email,
    revision: nextRevision(context),
    acl: { [email]: 'owner' },
    events: {},
  };
  addListEntry(context, mailbox, context.state.calendars[email]);
}

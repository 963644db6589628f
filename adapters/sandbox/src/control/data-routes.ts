import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { importIcs } from '../ics/import-ics.ts';
import { ControlError, type ProviderSandbox, type SandboxServer } from '../kernel/kernel.ts';
import type { Sandbox } from '../sandbox-interface.ts';
import { seedDemo } from '../seed.ts';
import { isOAuth, issueAccessToken } from './access-token.ts';
import { checkControlInput, readControlBody } from './control-body.ts';
import { addMailboxRoutes } from './mailbox/mailbox-routes.ts';

const email = z.email();
const mailboxSchema = z.strictObject({
  email,
  name: z.string().min(1).optional(),
  timeZone: z.string().min(1).default('UTC'),
});
const clientSchema = z.strictObject({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  secondSecret: z.string().min(1).optional(),
  redirectUris: z.array(z.url()).default([]),
});
const tokenSchema = z.strictObject({
  email,
  clientId: z.string().min(1),
  scopes: z.array(z.string()).optional(),
});
const importSchema = z.strictObject({ email, ics: z.string().min(1), into: z.enum(['new', 'primary']).default('new') });
const shareSchema = z.strictObject({
  ownerEmail: email,
  calendarId: z.string().min(1),
  withEmail: email,
  role: z.enum(['reader', 'writer']).default('reader'),
});

/** The control routes of one provider's data: mailboxes, clients, tokens, calendars, control verbs. */
export function addDataRoutes(app: Hono, sandbox: Sandbox): void {
  const providerOf = (c: Context): SandboxServer => {
    const name = c.req.param('provider');
    if (name === 'google' || name === 'microsoft' || name === 'caldav') return sandbox[name];
    throw new ControlError(`provider: must be google, microsoft or caldav, not ${name}`);
  };
  const oauthOf = (c: Context): ProviderSandbox => {
    const server = providerOf(c);
    if (isOAuth(server)) return server;
    throw new ControlError('provider: its people sign in with passwords, not by OAuth');
  };
  app.post('/seed', (c) => c.json(seedDemo(sandbox), 201));
  app.get('/:provider/mailboxes', (c) => c.json({ mailboxes: providerOf(c).mailboxes() }));
  app.post('/:provider/mailboxes', async (c) => {
    const seed = await readControlBody(c, mailboxSchema);
    providerOf(c).addMailbox({ ...seed, name: seed.name ?? seed.email.split('@')[0] ?? seed.email });
    return c.json({ email: seed.email }, 201);
  });
  app.post('/:provider/clients', async (c) => {
    const client = await readControlBody(c, clientSchema);
    oauthOf(c).addClient(client);
    return c.json({ clientId: client.clientId }, 201);
  });
  app.post('/:provider/refresh-tokens', async (c) => {
    const { scopes, ...input } = await readControlBody(c, tokenSchema);
    const refreshToken = oauthOf(c).issueRefreshToken({ ...input, ...(scopes === undefined ? {} : { scopes }) });
    return c.json({ refreshToken }, 201);
  });
  app.post('/caldav/app-passwords', async (c) => {
    const input = await readControlBody(c, z.strictObject({ email }));
    return c.json({ password: sandbox.caldav.addAppPassword(input) }, 201);
  });
  app.post('/:provider/access-tokens', async (c) => {
    const input = await readControlBody(c, z.record(z.string(), z.unknown()));
    return c.json(await issueAccessToken(providerOf(c), input, sandbox.clock.now()), 201);
  });
  app.post('/:provider/import', async (c) => {
    const isText = (c.req.header('content-type') ?? '').startsWith('text/calendar');
    const { ics, ...input } = isText
      ? checkControlInput({ ...c.req.query(), ics: await c.req.text() }, importSchema)
      : await readControlBody(c, importSchema);
    return c.json(importIcs(providerOf(c), { ...input, text: ics }), 201);
  });
  app.post('/:provider/share', async (c) => {
    const input = await readControlBody(c, shareSchema);
    return c.json({ calendarId: providerOf(c).shareCalendar(input) }, 201);
  });
  addMailboxRoutes(app, sandbox, providerOf);
  app.get('/:provider/controls', (c) => c.json({ controls: Object.keys(providerOf(c).controls) }));
  app.post('/:provider/controls/:name', async (c) => {
    const input = await readControlBody(c, z.record(z.string(), z.unknown()));
    const result = runControl(providerOf(c), c.req.param('name'), input);
    return c.json((result ?? {}) as object);
  });
}

function runControl(provider: SandboxServer, name: string, input: Readonly<Record<string, unknown>>): unknown {
  const verb = Object.hasOwn(provider.controls, name) ? provider.controls[name] : undefined;
  if (verb === undefined) {
    throw new ControlError(`no control ${name}; there are ${Object.keys(provider.controls).join(', ')}`);
  }
  return verb(input);
}

import { Hono } from 'hono';
import { z } from 'zod';
import { ControlError, type Fault, type NotificationFaults, type SandboxServer } from '../kernel/kernel.ts';
import type { Sandbox } from '../sandbox-interface.ts';
import { readControlBody } from './control-body.ts';
import { addDataRoutes } from './data-routes.ts';

/** The control routes, for the listing at `/_sandbox`; the README says what each takes. */
const ROUTES = [
  'GET /_sandbox/state',
  'POST /_sandbox/reset',
  'POST /_sandbox/seed',
  'GET /_sandbox/clock',
  'POST /_sandbox/clock/advance',
  'POST /_sandbox/clock/freeze',
  'POST /_sandbox/clock/thaw',
  'GET|POST|DELETE /_sandbox/faults',
  'DELETE /_sandbox/faults/{id}',
  'GET|PUT /_sandbox/notification-faults',
  'GET /_sandbox/notifications',
  'POST /_sandbox/notifications/settle',
  'GET|DELETE /_sandbox/requests',
  'GET /_sandbox/counts',
  'GET|POST /_sandbox/{provider}/mailboxes',
  'GET /_sandbox/{provider}/mailboxes/{email}/calendars',
  'GET|POST /_sandbox/{provider}/mailboxes/{email}/events',
  'GET|PATCH|DELETE /_sandbox/{provider}/mailboxes/{email}/events/{id}',
  'POST /_sandbox/{provider}/mailboxes/{email}/events/{id}/answer',
  'POST /_sandbox/{provider}/mailboxes/{email}/revoke',
  'POST /_sandbox/{google|microsoft}/clients',
  'POST /_sandbox/{google|microsoft}/refresh-tokens',
  'POST /_sandbox/{provider}/access-tokens',
  'POST /_sandbox/caldav/app-passwords',
  'POST /_sandbox/{provider}/import',
  'POST /_sandbox/{provider}/share',
  'GET /_sandbox/{provider}/controls',
  'POST /_sandbox/{provider}/controls/{name}',
];

const share = z.number().min(0).max(1).optional();
const faultSchema = z.strictObject({
  provider: z.enum(['google', 'microsoft', 'caldav']),
  method: z.string().toUpperCase().optional(),
  path: z.string().optional(),
  times: z.int().min(1).optional(),
  skip: z.int().min(0).optional(),
  kind: z.enum(['answer', 'answer-after', 'delay', 'reset']),
  status: z.int().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
  delayMs: z.number().min(0).optional(),
});
const notificationFaultsSchema = z.strictObject({ drop: share, duplicate: share, reorder: share });
const instant = z.union([z.number(), z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))]);

/** The control API below `/_sandbox`: JSON in, JSON out; 400 with `{error: {message}}` for input it cannot use. */
export function createControlApi(sandbox: Sandbox): Hono {
  const app = new Hono().basePath('/_sandbox');
  app.get('/', (c) => c.json({ routes: ROUTES }));
  app.get('/state', (c) => c.json(stateOf(sandbox)));
  app.post('/reset', (c) => {
    sandbox.reset();
    return c.json(stateOf(sandbox));
  });
  addClockRoutes(app, sandbox);
  addFaultRoutes(app, sandbox);
  app.get('/requests', (c) => {
    const { provider, after, limit } = c.req.query();
    const filter = {
      ...(provider === undefined ? {} : { provider }),
      ...(after === undefined ? {} : { after: Number(after) }),
      ...(limit === undefined ? {} : { limit: Number(limit) }),
    };
    return c.json({ requests: sandbox.requests.list(filter) });
  });
  app.delete('/requests', (c) => {
    sandbox.requests.clear();
    return c.json({});
  });
  app.get('/counts', (c) => c.json({ counts: sandbox.requests.counts() }));
  addDataRoutes(app, sandbox);
  app.notFound((c) => c.json({ error: { message: `no such control route: ${c.req.method} ${c.req.path}` } }, 404));
  app.onError((error, c) => {
    if (error instanceof ControlError || error instanceof RangeError) {
      return c.json({ error: { message: error.message } }, 400);
    }
    throw error;
  });
  return app;
}

function stateOf(sandbox: Sandbox) {
  const people = (provider: SandboxServer) => ({ mailboxes: provider.mailboxes() });
  return {
    now: clockOf(sandbox),
    google: people(sandbox.google),
    microsoft: people(sandbox.microsoft),
    caldav: people(sandbox.caldav),
  };
}

function clockOf(sandbox: Sandbox) {
  const now = sandbox.clock.now();
  return { epochMs: now, iso: new Date(now).toISOString() };
}

function addClockRoutes(app: Hono, sandbox: Sandbox): void {
  app.get('/clock', (c) => c.json(clockOf(sandbox)));
  app.post('/clock/advance', async (c) => {
    const { ms } = await readControlBody(c, z.strictObject({ ms: z.number().min(0) }));
    sandbox.clock.advance(ms);
    return c.json(clockOf(sandbox));
  });
  app.post('/clock/freeze', async (c) => {
    const { at } = await readControlBody(c, z.strictObject({ at: instant.optional() }));
    sandbox.clock.freeze(at ?? sandbox.clock.now());
    return c.json(clockOf(sandbox));
  });
  app.post('/clock/thaw', (c) => {
    sandbox.clock.freeze(undefined);
    return c.json(clockOf(sandbox));
  });
}

function addFaultRoutes(app: Hono, sandbox: Sandbox): void {
  app.get('/faults', (c) => c.json({ faults: sandbox.faults.list() }));
  app.post('/faults', async (c) => {
    const fault = await readControlBody(c, faultSchema);
    return c.json(sandbox.faults.arm(fault as Fault), 201);
  });
  app.delete('/faults', (c) => {
    sandbox.faults.clear();
    return c.json({});
  });
  app.delete('/faults/:id', (c) => {
    sandbox.faults.clear(c.req.param('id'));
    return c.json({});
  });
  app.get('/notification-faults', (c) => c.json(sandbox.notifications.faults()));
  app.put('/notification-faults', async (c) => {
    const faults = await readControlBody(c, notificationFaultsSchema);
    sandbox.notifications.setFaults(faults as NotificationFaults);
    return c.json(faults);
  });
  app.get('/notifications', (c) => c.json({ notifications: sandbox.notifications.records() }));
  app.post('/notifications/settle', async (c) => {
    await sandbox.notifications.idle();
    return c.json({});
  });
}

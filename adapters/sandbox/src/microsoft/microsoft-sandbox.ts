import { withoutTrailing } from 'kalends/ports';
import type { Kernel, MailboxSeed, ProviderSandbox } from '../kernel/kernel.ts';
import { errorResponse, GraphError } from './api/graph-error.ts';
import { graphServer } from './api/graph-server.ts';
import { createCalendar } from './calendars/create-calendar.ts';
import { createControls } from './controls.ts';
import { importIcsCalendar } from './ics-import.ts';
import { calendarIdOf } from './identity.ts';
import { ALL_SCOPES, createGrant, createRefreshToken, grantable } from './oauth/grants.ts';
import { identityPlatform } from './oauth/oauth.ts';
import { findMailbox, initialState, type MicrosoftState, type MicrosoftWorld, type StoredMailbox } from './state.ts';
import { zoneOf } from './times.ts';

function getMailbox(world: MicrosoftWorld, email: string): StoredMailbox {
  const mailbox = findMailbox(world.state, email);
  if (!mailbox) throw new RangeError(`no mailbox ${email}`);
  return mailbox;
}

function addMailbox(world: MicrosoftWorld, seed: MailboxSeed): void {
  if (findMailbox(world.state, seed.email)) return;
  zoneOf(seed.timeZone);
  const key = seed.email.toLowerCase();
  world.state.mailboxes[key] = {
    email: seed.email,
    name: seed.name,
    timeZone: seed.timeZone,
    calendarLinks: [],
    categories: ['Red', 'Orange', 'Brown', 'Yellow', 'Green', 'Teal'].map((name, at) => ({
      id: `${at}0000000-0000-4000-8000-000000000000`,
      displayName: `${name} category`,
      color: `preset${at}`,
    })),
  };
  createCalendar(world, { ownerEmail: key, name: 'Calendar', isDefault: true, color: 'auto' });
}

function shareCalendar(world: MicrosoftWorld, input: Parameters<ProviderSandbox['shareCalendar']>[0]): string {
  const owner = getMailbox(world, input.ownerEmail);
  const receiver = getMailbox(world, input.withEmail);
  const shared = owner.calendarLinks.find(({ id, role }) => id === input.calendarId && role === 'owner');
  if (!shared) throw new RangeError(`${input.ownerEmail} has no calendar ${input.calendarId}`);
  const known = receiver.calendarLinks.find(({ calendarKey }) => calendarKey === shared.calendarKey);
  if (known?.role === 'owner') throw new RangeError('a calendar cannot be shared with its owner');
  const id = known?.id ?? calendarIdOf(`${shared.calendarKey}.${world.kernel.randomText(8)}`);
  if (known) known.role = input.role;
  else {
    const { calendarKey, color } = shared;
    receiver.calendarLinks.push({ id, temporaryId: null, calendarKey, role: input.role, color });
  }
  world.kernel.touched();
  return id;
}

async function serve(world: MicrosoftWorld, request: Request, root: string): Promise<Response> {
  const base = withoutTrailing(root, '/');
  if (new URL(request.url).pathname.startsWith('/v1.0/')) return graphServer(world, request, base);
  const answer = await identityPlatform(world, request, base);
  return answer ?? errorResponse(world, new GraphError(404, 'NotFound', 'There is no such address.'));
}

/**
 * Creates a stateful Microsoft identity platform and Graph v1.0 calendar server over one kernel.
 *
 * It keeps the wire behaviour that clients trip over: rotating refresh tokens, delta stubs and their gaps, clamped
 * month days, copies of meetings per mailbox, change keys that move by themselves. The oddities that are a matter of
 * chance are seeded, and set through `controls`.
 * @see https://learn.microsoft.com/graph/api/resources/calendar
 */
export function createMicrosoftSandbox(
  kernel: Kernel,
  options: {
    /** For the validation handshake of subscriptions. @default the global fetch */
    readonly fetch?: typeof fetch;
  } = {},
): ProviderSandbox {
  const world: MicrosoftWorld = { kernel, fetch: options.fetch ?? fetch, state: initialState() };
  return {
    fetch: (request, root) => serve(world, request, root),
    snapshot: () => structuredClone(world.state),
    restore(snapshot) {
      const restored = structuredClone(snapshot) as MicrosoftState;
      world.state = { ...restored, settings: { ...initialState().settings, ...restored.settings } };
    },
    addMailbox: (seed) => addMailbox(world, seed),
    hasMailbox: (email) => findMailbox(world.state, email) !== undefined,
    mailboxes: () => Object.values(world.state.mailboxes).map(({ email }) => email),
    addClient(client) {
      world.state.clients[client.clientId] = client;
      kernel.touched();
    },
    issueRefreshToken({ email, clientId, scopes }) {
      const mailbox = getMailbox(world, email);
      if (!world.state.clients[clientId]) throw new RangeError(`no client ${clientId}`);
      return createRefreshToken(
        world,
        createGrant(world, { email: mailbox.email, clientId, scopes: scopes ?? grantable(email, ALL_SCOPES) }),
      );
    },
    importCalendar: (email, calendar, into = 'new') =>
      importIcsCalendar(world, getMailbox(world, email), calendar, into),
    shareCalendar: (input) => shareCalendar(world, input),
    controls: createControls(world),
  };
}

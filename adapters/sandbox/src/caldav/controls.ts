import { z } from 'zod';
import { checkControlInput } from '../control/control-body.ts';
import { ControlError, type SandboxServer } from '../kernel/kernel.ts';
import { type CalDavContext, findMailbox } from './caldav-context.ts';
import { type Mailbox, QUIRKS, type StoredCalendar, type StoredObject } from './caldav-state.ts';

const HOUR_MS = 3_600_000;

const email = z.email();
const someone = z.object({ email });
const place = z.object({ email, calendarId: z.string().optional() });
const object = z.object({ email, href: z.string().min(1), recurrenceId: z.string().optional() });

/** Creates the control verbs of the CalDAV server. */
export function createControls(context: CalDavContext): SandboxServer['controls'] {
  const verbs: SandboxServer['controls'] = {
    issueAccessToken: (input) => issueAccessToken(context, mailboxOf(context, someone, input).email),
    addAppPassword: (input) => ({ password: addAppPassword(context, mailboxOf(context, someone, input).email) }),
    revokeGrant: (input) => revokeGrant(context, mailboxOf(context, someone, input)),
    expireAccessTokens: (input) => expireAccessTokens(context, mailboxOf(context, someone, input)),
    drawName: () => ({ name: context.kernel.randomText(20) }),
    expireSyncTokens: () => expireSyncTokens(context),
    setQuirks(input) {
      context.state.quirks = [...checkControlInput(input, z.object({ quirks: z.array(z.enum(QUIRKS)) })).quirks];
      return { quirks: context.state.quirks };
    },
    setSyncPageSize(input) {
      const { size } = checkControlInput(input, z.object({ size: z.int().min(1).nullable() }));
      context.state.syncPageSize = size;
      return { size };
    },
    throttle(input) {
      const { perMinute } = checkControlInput(input, z.object({ perMinute: z.int().min(0).nullable() }));
      context.state.requestsPerMinute = perMinute;
      return { perMinute };
    },
    corruptObject: (input) => setCorrupt(context, input, true),
    repairObject: (input) => setCorrupt(context, input, false),
    objects(input) {
      const { calendarId, email: owner } = checkControlInput(input, place);
      const { calendar } = calendarOf(context, owner, calendarId);
      return { objects: Object.values(calendar.objects).map(({ name, uid, data }) => ({ name, uid, data })) };
    },
  };
  return Object.fromEntries(
    Object.entries(verbs).map(([name, verb]) => [
      name,
      (input: Readonly<Record<string, unknown>>) => {
        context.kernel.touched();
        return verb(input);
      },
    ]),
  );
}

/** Makes a further password that opens a mailbox, as hosts give one to each application. */
export function addAppPassword(context: CalDavContext, owner: string): string {
  const mailbox = findMailbox(context, owner);
  if (mailbox === undefined) throw new ControlError(`email: no CalDAV mailbox ${owner}`);
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const password = Array.from({ length: 4 }, () => context.kernel.randomText(4, letters)).join('-');
  mailbox.passwords.push(password);
  context.kernel.touched();
  return password;
}

function issueAccessToken(context: CalDavContext, owner: string) {
  const accessToken = context.kernel.randomText(40);
  const expiresAt = context.kernel.clock.now() + HOUR_MS;
  context.state.tokens[accessToken] = { email: owner, expiresAt };
  return { accessToken, expiresAt };
}

/** Ends all passwords and tokens of a mailbox, as a new main password does at iCloud. */
function revokeGrant(context: CalDavContext, mailbox: Mailbox) {
  const revoked = mailbox.passwords.length;
  mailbox.passwords = [];
  expireAccessTokens(context, mailbox);
  return { revoked };
}

function expireAccessTokens({ state, kernel }: CalDavContext, mailbox: Mailbox) {
  const own = Object.values(state.tokens).filter((token) => token.email === mailbox.email);
  for (const token of own) token.expiresAt = kernel.clock.now();
  return { expired: own.length };
}

/** Ends all sync tokens, and forgets the deletions that they could still have shown. */
function expireSyncTokens({ state }: CalDavContext) {
  const calendars = Object.values(state.calendars);
  for (const calendar of calendars) {
    state.revision += 1;
    calendar.revision = state.revision;
    calendar.oldestToken = state.revision;
    calendar.tombstones = {};
  }
  return { calendars: calendars.length };
}

/**
 * Makes one object, or the exception of it with a RECURRENCE-ID, unreadable, or readable again. It gets no new tag: only the body that
 * is sent differs.
 */
function setCorrupt(context: CalDavContext, input: Readonly<Record<string, unknown>>, isCorrupt: boolean) {
  const { email: owner, href, recurrenceId = '' } = checkControlInput(input, object);
  const { calendar, object: found } = objectAt(context, owner, href);
  const { corruptSlot: _, ...sound } = found;
  calendar.objects[found.name] = isCorrupt ? { ...sound, corruptSlot: recurrenceId } : sound;
  return { href };
}

function objectAt(
  context: CalDavContext,
  owner: string,
  href: string,
): { readonly calendar: StoredCalendar; readonly object: StoredObject } {
  const segments = href.split('/').filter((segment) => segment !== '');
  const [slug, name = ''] = segments.slice(-2).map(decodeURIComponent);
  const { calendar } = calendarOf(context, owner, slug);
  const found = calendar.objects[name];
  if (found === undefined) throw new ControlError(`href: nothing is at ${href}`);
  return { calendar, object: found };
}

/** Returns a calendar of a mailbox by its path or its name in the home; by default the one that takes invitations. */
export function calendarOf(
  context: CalDavContext,
  owner: string,
  calendarId: string | undefined,
): { readonly slug: string; readonly calendar: StoredCalendar; readonly mailbox: Mailbox } {
  const mailbox = findMailbox(context, owner);
  if (mailbox === undefined) throw new ControlError(`email: no CalDAV mailbox ${owner}`);
  const last = calendarId
    ?.split('/')
    .filter((segment) => segment !== '')
    .at(-1);
  const slug = last === undefined ? mailbox.defaultCalendar : decodeURIComponent(last);
  const calendar = context.state.calendars[mailbox.links[slug]?.calendarId ?? ''];
  if (calendar === undefined) throw new ControlError(`calendarId: ${owner} has no calendar ${calendarId}`);
  return { slug, calendar, mailbox };
}

function mailboxOf(context: CalDavContext, schema: typeof someone, input: Readonly<Record<string, unknown>>): Mailbox {
  const { email: owner } = checkControlInput(input, schema);
  const mailbox = findMailbox(context, owner);
  if (mailbox === undefined) throw new ControlError(`email: no CalDAV mailbox ${owner}`);
  return mailbox;
}

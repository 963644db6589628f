import type { Context, Hono } from 'hono';
import { formatWall, parseWall, resolveZone } from 'kalends/zones';
import { z } from 'zod';
import { ControlError, type SandboxServer } from '../../kernel/kernel.ts';
import type { Sandbox } from '../../sandbox-interface.ts';
import { checkControlInput, readControlBody } from '../control-body.ts';
import { caldavEvents } from './caldav-events.ts';
import { davCallsAs } from './dav-calls.ts';
import { googleEvents } from './google-events.ts';
import { type EventTimes, isDate, type MailboxEvents } from './mailbox-events.ts';
import { microsoftEvents, type ZonedCalls } from './microsoft-events.ts';
import { callsAs, createPersonTokens, type PersonTokens } from './person-calls.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const zone = z.string().refine((name) => resolveZone(name) !== undefined, 'must be an IANA name of a time zone');
const time = z
  .string()
  .refine((text) => parseWall(text) !== undefined, 'must be YYYY-MM-DDTHH:MM, or YYYY-MM-DD for an all-day event')
  .transform((text) => (text.length === 16 ? `${text}:00` : text));
const fields = {
  title: z.string().max(255).optional(),
  location: z.string().max(255).optional(),
  end: time.optional(),
  timeZone: zone.optional(),
  attendees: z.array(z.email()).max(50).optional(),
  recurrence: z.array(z.string().min(1)).max(10).optional(),
};
const creation = z.strictObject({ ...fields, start: time });
const change = z.strictObject({ ...fields, start: time.optional() });
const answer = z.strictObject({ answer: z.enum(['accepted', 'tentative', 'declined']) });
const window = z.strictObject({
  from: z.iso.datetime({ offset: true }),
  to: z.iso.datetime({ offset: true }),
  timeZone: zone.optional(),
  calendarId: z.string().min(1).optional(),
});
const place = z.strictObject({ timeZone: zone.optional(), calendarId: z.string().min(1).optional() });

/** Adds the control routes by which another person uses a mailbox, alike for all providers. */
export function addMailboxRoutes(app: Hono, sandbox: Sandbox, providerOf: (c: Context) => SandboxServer): void {
  const mailbox = '/:provider/mailboxes/:email';
  const tokens = createPersonTokens(() => sandbox.clock.now());
  const eventsOf = (c: Context, calendarId?: string): MailboxEvents => {
    const provider = providerOf(c);
    const email = knownMailbox(provider, c);
    if (provider === sandbox.caldav) return caldavEvents(davCallsAs(provider, tokens, email), calendarId);
    if (provider === sandbox.google) return googleEvents(callsAs(provider, tokens, { email }), email, calendarId);
    return microsoftEvents(zonedCalls(provider, tokens, email), calendarId);
  };
  app.get(`${mailbox}/calendars`, async (c) => {
    const events = eventsOf(c);
    return c.json({ timeZone: await events.timeZone(), calendars: await events.calendars() });
  });
  app.get(`${mailbox}/events`, async (c) => {
    const { calendarId, timeZone, from, to } = checkControlInput(c.req.query(), window);
    if (Date.parse(to) <= Date.parse(from)) throw new ControlError('to: must be after from');
    const events = eventsOf(c, calendarId);
    return c.json({ events: await events.list({ from, to, timeZone: timeZone ?? (await events.timeZone()) }) });
  });
  app.post(`${mailbox}/events`, async (c) => {
    const { calendarId, timeZone } = checkControlInput(c.req.query(), place);
    const { start, end, ...write } = await readControlBody(c, creation);
    const events = eventsOf(c, calendarId);
    const written = write.timeZone ?? timeZone ?? (await events.timeZone());
    const times = checked({ start, end: end ?? defaultEnd(start), timeZone: written });
    const id = await events.create({ ...write, times });
    return c.json(await events.get(id, written), 201);
  });
  const event = `${mailbox}/events/:eventId`;
  app.get(event, async (c) => {
    const { calendarId, timeZone } = checkControlInput(c.req.query(), place);
    const events = eventsOf(c, calendarId);
    return c.json(await events.get(c.req.param('eventId'), timeZone ?? (await events.timeZone())));
  });
  app.patch(event, async (c) => {
    const { calendarId, timeZone } = checkControlInput(c.req.query(), place);
    const { start, end, ...write } = await readControlBody(c, change);
    const events = eventsOf(c, calendarId);
    const id = c.req.param('eventId');
    const written = write.timeZone ?? timeZone ?? (await events.timeZone());
    const times =
      start === undefined && end === undefined ? undefined : await moved(events, id, { start, end }, written);
    await events.change(id, { ...write, times });
    return c.json(await events.get(id, written));
  });
  app.delete(event, async (c) => {
    const { calendarId } = checkControlInput(c.req.query(), place);
    await eventsOf(c, calendarId).remove(c.req.param('eventId'));
    return c.json({});
  });
  app.post(`${event}/answer`, async (c) => {
    const { calendarId } = checkControlInput(c.req.query(), place);
    const body = await readControlBody(c, answer);
    await eventsOf(c, calendarId).answer(c.req.param('eventId'), body.answer);
    return c.json({});
  });
  app.post(`${mailbox}/revoke`, (c) => {
    const provider = providerOf(c);
    const email = knownMailbox(provider, c);
    const { revoked } = provider.controls['revokeGrant']?.({ email }) as { readonly revoked: number };
    // Bearers of Microsoft outlive the grant, and the account would look well for an hour.
    provider.controls['expireAccessTokens']?.({ email });
    return c.json({ revoked });
  });
}

function knownMailbox(provider: SandboxServer, c: Context): string {
  const email = c.req.param('email') ?? '';
  if (provider.hasMailbox(email)) return email;
  throw new ControlError(`email: no mailbox ${email}; there are ${provider.mailboxes().join(', ') || 'none'}`);
}

function zonedCalls(provider: SandboxServer, tokens: PersonTokens, email: string): ZonedCalls {
  return (timeZone) => {
    const prefer = `IdType="ImmutableId", outlook.timezone="${timeZone}"`;
    return callsAs(provider, tokens, { email, headers: { prefer } });
  };
}

const wallOf = (text: string): number => parseWall(text)?.wallMs ?? 0;

const textOf = (wallMs: number, like: string): string => formatWall(wallMs).slice(0, isDate(like) ? 10 : 19);

const defaultEnd = (start: string): string => textOf(wallOf(start) + (isDate(start) ? DAY_MS : HOUR_MS), start);

/** Returns the times of a change. An end that is not sent keeps the length of the event. */
async function moved(
  events: MailboxEvents,
  id: string,
  sent: { readonly start: string | undefined; readonly end: string | undefined },
  timeZone: string,
): Promise<EventTimes> {
  const present = await events.get(id, timeZone);
  const { start = present.start } = sent;
  if (sent.end !== undefined) return checked({ start, end: sent.end, timeZone });
  if (isDate(start) !== isDate(present.start)) return { start, end: defaultEnd(start), timeZone };
  const lengthMs = wallOf(present.end) - wallOf(present.start);
  return { start, end: textOf(wallOf(start) + lengthMs, start), timeZone };
}

function checked(times: EventTimes): EventTimes {
  const { start, end } = times;
  if (isDate(start) !== isDate(end))
    throw new ControlError('end: must be a date where start is one, and a time otherwise');
  if (wallOf(end) < wallOf(start) || (isDate(end) && end === start)) throw new ControlError('end: must be after start');
  return times;
}

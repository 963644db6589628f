import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { providerConformance, waitlessClock } from '@kalends/conformance';
import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import type { Sandbox } from '@kalends/sandbox';
import type {
  EventChange,
  EventTarget,
  OAuthProvider,
  Provider,
  ProviderCalendar,
  ProviderSession,
} from 'kalends/ports';

const CLIENT = { clientId: 'contracts', clientSecret: 'contracts', settings: {} };
const REDIRECT = 'http://app.test/callback';

/** Runs the Google adapter against the sandbox, so that its own requests are recorded. */
export function runGoogleAdapter(sandbox: Sandbox, url: string, readLog: () => void): Promise<void> {
  const provider = google({ ...googleEndpoints(`${url}/google`), ...unpaced(sandbox) });
  return useProvider(sandbox, 'google', provider, ['ada@gmail.example', 'grace@gmail.example'], readLog);
}

/** Runs the Microsoft adapter likewise. */
export function runMicrosoftAdapter(sandbox: Sandbox, url: string, readLog: () => void): Promise<void> {
  const provider = microsoft({ ...microsoftEndpoints(`${url}/microsoft`), ...unpaced(sandbox) });
  return useProvider(sandbox, 'microsoft', provider, ['ada@outlook.example', 'grace@outlook.example'], readLog);
}

/** The sandbox's clock stands still, so that a pace would end the session with its first interval. */
function unpaced(sandbox: Sandbox) {
  const limits = { callsPerInterval: Number.POSITIVE_INFINITY };
  return { clock: waitlessClock(() => sandbox.clock.now()), limits };
}

async function useProvider(
  sandbox: Sandbox,
  name: 'google' | 'microsoft',
  provider: OAuthProvider,
  [ownerEmail, guestEmail]: readonly [string, string],
  readLog: () => void,
): Promise<void> {
  const server = sandbox[name];
  server.addClient({ clientId: CLIENT.clientId, clientSecret: CLIENT.clientSecret, redirectUris: [REDIRECT] });
  server.addMailbox({ email: ownerEmail, name: 'Ada', timeZone: 'Europe/London' });
  server.addMailbox({ email: guestEmail, name: 'Grace', timeZone: 'America/New_York' });
  const owner = sessionOf(server, provider, ownerEmail);
  const guest = sessionOf(server, provider, guestEmail);
  await useCalendars(provider, owner);
  const calendar = await primaryOf(provider, owner);
  const { nextToken } = await pullAll(provider.events.pull(owner, calendar, null));
  await useEvents(provider, owner, calendar);
  await useSeries(provider, owner, calendar);
  await answerAsGuest(provider, owner, calendar, guest, guestEmail);
  await pullAll(provider.events.pull(owner, calendar, nextToken));
  await usePush(provider, owner, calendar, sandbox);
  await useKit(provider, owner, guest, readLog, (calendarId, eventId, title) => {
    // Each control reads its own names.
    const attachment = { fileUrl: `https://files.example/${encodeURIComponent(title)}`, title, mimeType: 'text/plain' };
    const input = name === 'google' ? { calendarId, attachment } : { calendarId, email: ownerEmail, name: title };
    server.controls['addAttachment']?.({ eventId, ...input });
  });
}

/** The tests that every provider passes, each in a calendar of its own. */
async function useKit(
  provider: Provider,
  session: ProviderSession,
  guest: ProviderSession,
  readLog: () => void,
  attach: (calendarId: string, eventId: string, title: string) => void,
): Promise<void> {
  const runs: (() => Promise<void>)[] = [];
  let calendars = 0;
  providerConformance({
    test: (_name, run) => runs.push(run),
    async createWorld() {
      calendars += 1;
      const calendar = await provider.calendars.create(session, { name: `Kit ${calendars}` });
      return {
        provider,
        session,
        calendar,
        guest: { session: guest, calendar: await primaryOf(provider, guest) },
        attach: async (eventId, title) => attach(calendar.id, eventId, title),
        close: () => provider.calendars.delete(session, calendar.id),
      };
    },
  });
  for (const run of runs) {
    await run();
    readLog();
  }
}

function sessionOf(server: Sandbox['google'], provider: OAuthProvider, email: string): ProviderSession {
  let refreshToken = server.issueRefreshToken({ email, clientId: CLIENT.clientId });
  let current: string | undefined;
  return {
    accountId: `acc_${email}`,
    email,
    async accessToken(refused) {
      if (current === undefined || current === refused) {
        const grant = await provider.authorization.refresh({ client: CLIENT, refreshToken });
        refreshToken = grant.refreshToken ?? refreshToken;
        current = grant.accessToken;
      }
      return current;
    },
  };
}

async function pullAll<Change>(
  pages: AsyncIterable<{ readonly changes: readonly Change[]; readonly nextToken?: string | null }>,
): Promise<{ changes: Change[]; nextToken: string | null }> {
  const changes: Change[] = [];
  let nextToken: string | null = null;
  for await (const page of pages) {
    changes.push(...page.changes);
    nextToken = page.nextToken ?? nextToken;
  }
  return { changes, nextToken };
}

async function primaryOf(provider: Provider, session: ProviderSession): Promise<ProviderCalendar> {
  const { changes } = await pullAll(provider.calendars.pull(session, null));
  for (const change of changes) if (change.kind === 'calendar' && change.calendar.isPrimary) return change.calendar;
  throw new Error('The account has no primary calendar');
}

async function useCalendars(provider: Provider, session: ProviderSession): Promise<void> {
  const { nextToken } = await pullAll(provider.calendars.pull(session, null));
  const made = await provider.calendars.create(session, {
    name: 'Plans',
    hexColor: '#112233',
    timeZone: 'Europe/Rome',
  });
  await provider.calendars.update(session, made.id, { name: 'Plans 2', hexColor: '#445566' });
  await pullAll(provider.calendars.pull(session, nextToken));
  await provider.calendars.delete(session, made.id);
}

const requestId = (digit: number) => String(digit).repeat(32);
const at = (day: string, from: string, to: string, timeZone = 'Europe/London') => ({
  start: { dateTime: `2026-03-${day}T${from}:00+00:00`, timeZone },
  end: { dateTime: `2026-03-${day}T${to}:00+00:00`, timeZone },
});

function targetOf([change]: readonly EventChange[]): EventTarget & { readonly kind: 'event' } {
  if (change?.kind !== 'series' && change?.kind !== 'event') throw new Error(`No event, but ${change?.kind}`);
  const current = change.kind === 'series' ? change.master : change.event;
  return { kind: 'event', providerEventId: current.providerEventId, current };
}

async function useEvents(provider: Provider, session: ProviderSession, calendar: ProviderCalendar): Promise<void> {
  const made = await provider.events.create(
    session,
    calendar,
    {
      title: 'Everything',
      description: 'd',
      location: 'l',
      ...at('03', '09:00', '10:00'),
      visibility: 'private',
      transparency: 'transparent',
      colorId: '3',
      attendees: [{ email: 'x@example.org', name: 'X' }],
      publicExtendedProperties: { a: '1' },
      privateExtendedProperties: { b: '2' },
      reminders: { useDefault: false, isReminderOn: true, overrides: [{ method: 'popup', minutes: 10 }] },
    },
    { requestId: requestId(1) },
  );
  const target = targetOf(made);
  const changed = await provider.events.update(
    session,
    calendar,
    target,
    { title: 'Patched', description: null, ...at('04', '09:00', '10:00') },
    { ifMatch: target.current.providerTag ?? undefined },
  );
  await provider.events.get(session, calendar, target.providerEventId);
  await provider.events.create(
    session,
    calendar,
    {
      title: 'All day',
      isAllDay: true,
      start: { dateTime: '2026-03-05T00:00:00', timeZone: '' },
      end: { dateTime: '2026-03-06T00:00:00', timeZone: '' },
    },
    { requestId: requestId(2) },
  );
  await provider.events.delete(session, calendar, targetOf(changed), {});
}

async function useSeries(provider: Provider, session: ProviderSession, calendar: ProviderCalendar): Promise<void> {
  const made = await provider.events.create(
    session,
    calendar,
    { title: 'Series', ...at('09', '09:00', '10:00'), recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4;BYDAY=MO'] },
    { requestId: requestId(3) },
  );
  const { current: master } = targetOf(made);
  const { content } = master;
  if (content === null) throw new Error('The series has no content');
  const slot = (day: number): EventTarget => ({
    kind: 'occurrence',
    seriesId: master.providerEventId,
    recurrenceId: { kind: 'instant', startMs: Date.UTC(2026, 2, day, 9) },
    current: {
      ...master,
      providerEventId: '',
      seriesId: master.providerEventId,
      recurrenceId: { kind: 'instant', startMs: Date.UTC(2026, 2, day, 9) },
      content: { ...content, recurrence: null, ...at(String(day), '09:00', '10:00') },
    },
    master,
  });
  await provider.events.update(session, calendar, slot(16), { title: 'Moved', ...at('17', '11:00', '12:00') }, {});
  await provider.events.delete(session, calendar, slot(23), {});
  const target = targetOf(await provider.events.get(session, calendar, master.providerEventId));
  const changed = await provider.events.update(
    session,
    calendar,
    target,
    { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=MO'] },
    {},
  );
  await provider.events.delete(session, calendar, targetOf(changed), {});
}

async function answerAsGuest(
  provider: Provider,
  owner: ProviderSession,
  calendar: ProviderCalendar,
  guest: ProviderSession,
  guestEmail: string,
): Promise<void> {
  await provider.events.create(
    owner,
    calendar,
    { title: 'Meeting', ...at('10', '09:00', '10:00'), attendees: [{ email: guestEmail }] },
    { requestId: requestId(4) },
  );
  const theirs = await primaryOf(provider, guest);
  const { changes } = await pullAll(provider.events.pull(guest, theirs, null));
  const invitations = changes.filter((change) => change.kind === 'event' && change.event.content?.title === 'Meeting');
  await provider.events.respond(guest, theirs, targetOf(invitations), 'accepted', {});
}

async function usePush(
  provider: Provider,
  session: ProviderSession,
  calendar: ProviderCalendar,
  sandbox: Sandbox,
): Promise<void> {
  const receiver = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
    const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    const request = new Request(`http://receiver.test${incoming.url}`, { method: 'POST', headers, ...body });
    const { response } = await provider.push.receive(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const expiresAt = sandbox.clock.now() + 86_400_000;
  const channel = await provider.push.open(session, {
    channelId: 'chn_1',
    token: 'secret',
    address: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/push`,
    resource: { kind: 'events', calendarId: calendar.id },
    expiresAt,
  });
  await provider.push.renew(session, { ...channel, expiresAt: expiresAt + 3_600_000 });
  await provider.push.close(session, channel);
  await sandbox.notifications.idle();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
}

import { waitlessClock } from '@kalends/conformance';
import { type EventChange, ProviderError, type ProviderEvent, type ProviderSession } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { createPersonOf } from '../src/account/account-person.ts';
import type { DavClient } from '../src/protocol/dav-client.ts';
import { readMultistatus } from '../src/protocol/multistatus.ts';
import { pathOfId } from '../src/protocol/paths.ts';
import { ADA } from './harness.ts';
import { edited, type PulledCalendar, refusal, startCalendar } from './pull/pulled-calendar.ts';

const ALIAS = 'countess@lovelace.example';
const URN = 'urn:uuid:5A1E0B6C-1111-4222-8333-944455556666';
const PRINCIPAL = '/principals/ada@dav.example/';

/** Addresses that the principal has beside that of the account. */
const FURTHER = [`mailto:${ALIAS}`, URN, PRINCIPAL];

/**
 * A calendar of a person with several addresses, and how often they were asked for since the sign-in. Of the stand-in's own scheduling, which
 * knows one address, there is none.
 */
async function startWithAddresses(...quirks: readonly string[]) {
  const played = await startCalendar('noScheduling', ...quirks);
  let areHidden = false;
  const asksAddresses = ({ body }: { readonly body: string }) => body.includes('calendar-user-address-set');
  played.answerBy(async (asked, ask) => {
    if (!asksAddresses(asked)) return ask();
    if (areHidden) return refusal(403);
    const hrefs = [`mailto:${ADA}`, ...FURTHER].map((href) => `<D:href>${href}</D:href>`).join('');
    const set = `<D:prop><C:calendar-user-address-set>${hrefs}</C:calendar-user-address-set>`;
    return edited(await ask(), (text) =>
      text.includes('calendar-home-set><D:href>') ? text.replace('<D:prop>', set) : text,
    );
  });
  const before = played.asked.length;
  return Object.assign(played, {
    countOfLooks: () => played.asked.slice(before).filter(asksAddresses).length,
    hideAddresses(hidden: boolean) {
      areHidden = hidden;
    },
  });
}

const invitationTo = (attendee: string) => [
  'ORGANIZER:mailto:boss@elsewhere.example',
  'ATTENDEE:mailto:boss@elsewhere.example',
  `ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:${attendee}`,
];

const organizedBy = (organizer: string) => [`ORGANIZER:${organizer}`, 'ATTENDEE:mailto:guest@elsewhere.example'];

const idOf = ({ calendar }: PulledCalendar, name: string): string =>
  Buffer.from(`${pathOfId(calendar.id)}${name}`).toString('base64url');

function eventIn(changes: readonly EventChange[]): ProviderEvent {
  const [change] = changes;
  if (change?.kind === 'series') return change.master;
  if (change?.kind === 'event') return change.event;
  throw new Error('the event was not read');
}

function textOf({ harness }: PulledCalendar): string {
  const { objects } = harness.control('objects', { email: ADA }) as {
    objects: readonly { data: string }[];
  };
  return objects.map(({ data }) => data.replaceAll('\r\n ', '')).join('');
}

const OWN = [`mailto:${ALIAS}`, URN, `MAILTO:${ALIAS.toUpperCase()}`];

it.each(OWN)('answers an invitation to %s, an address of the account beside its own', async (address) => {
  const played = await startWithAddresses();
  await played.put('a.ics', 'Review', invitationTo(address));
  const { events } = played.harness.provider;
  const id = idOf(played, 'a.ics');

  const read = eventIn(await events.get(played.session, played.calendar, id));
  expect(read.isOrganizer).toBe(false);
  expect(read.content?.myResponseStatus).toBe('needsAction');

  const target = { kind: 'event', providerEventId: id, current: read } as const;
  const answered = eventIn(await events.respond(played.session, played.calendar, target, 'accepted', {}));
  expect(answered.content?.myResponseStatus).toBe('accepted');
  expect(textOf(played).match(/^ATTENDEE.*/gm)).toHaveLength(2);
});

it.each([
  ...OWN,
  (base: string) => new URL(PRINCIPAL, base).href,
])('counts an organizer %s as the account', async (given) => {
  const played = await startWithAddresses();
  const address = typeof given === 'string' ? given : given(played.harness.url);
  await played.put('a.ics', 'Review', organizedBy(address));
  const { events } = played.harness.provider;
  const id = idOf(played, 'a.ics');

  const read = eventIn(await events.get(played.session, played.calendar, id));
  expect(read).toMatchObject({ isOrganizer: true, content: { organizer: { isSelf: true } } });
  expect(read.content?.organizer?.email).toBe(/^mailto:/i.test(address) ? ALIAS : undefined);
  const target = { kind: 'event', providerEventId: id, current: read } as const;
  const moved = eventIn(await events.update(played.session, played.calendar, target, { title: 'Later' }, {}));
  expect(moved.content?.title).toBe('Later');
  await expect(events.respond(played.session, played.calendar, target, 'accepted', {})).rejects.toThrow(ProviderError);
});

it.each(OWN)('shows an invitation to %s among the attendees, and keeps its line when they change', async (address) => {
  const played = await startWithAddresses();
  const lines = [`ORGANIZER:${address}`, 'ATTENDEE:mailto:guest@elsewhere.example', `ATTENDEE;X-ROLE=host:${address}`];
  await played.put('a.ics', 'Review', lines);
  const { events } = played.harness.provider;
  const id = idOf(played, 'a.ics');
  const read = eventIn(await events.get(played.session, played.calendar, id));
  const own = address === URN ? ADA : ALIAS;
  const emails = ({ content }: ProviderEvent) => content?.attendees.map(({ email }) => email);
  expect(emails(read)).toEqual(['guest@elsewhere.example', own]);

  const target = { kind: 'event', providerEventId: id, current: read } as const;
  const attendees = [{ email: own }, { email: 'other@elsewhere.example' }];
  const written = eventIn(await events.update(played.session, played.calendar, target, { attendees }, {}));
  expect(emails(written)).toEqual([own, 'other@elsewhere.example']);
  expect(textOf(played).match(/^ATTENDEE.*/gm)?.[0]).toBe(`ATTENDEE;X-ROLE=host:${address}`);

  const without = { attendees: [{ email: 'other@elsewhere.example' }] };
  expect(emails(eventIn(await events.update(played.session, played.calendar, target, without, {})))).toEqual([
    'other@elsewhere.example',
  ]);
});

it('shows the account once where an event names it by its e-mail address and by another URI', async () => {
  const played = await startWithAddresses();
  await played.put('a.ics', 'Review', [...invitationTo(URN), `ATTENDEE:mailto:${ADA}`]);
  const { events } = played.harness.provider;
  const read = eventIn(await events.get(played.session, played.calendar, idOf(played, 'a.ics')));
  expect(read.content?.attendees.map(({ email }) => email)).toEqual(['boss@elsewhere.example', ADA]);
});

it('takes no address of another person for its own', async () => {
  const played = await startWithAddresses();
  await played.put('a.ics', 'Review', invitationTo('mailto:guest@elsewhere.example'));
  const read = eventIn(
    await played.harness.provider.events.get(played.session, played.calendar, idOf(played, 'a.ics')),
  );
  expect(read.isOrganizer).toBe(false);
  expect(read.content?.myResponseStatus).toBeUndefined();
});

it('reads events of a server whose home names no principal', async () => {
  const played = await startWithAddresses();
  const hidden = (text: string) => text.replaceAll(/<D:current-user-principal>.*?<\/D:current-user-principal>/g, '');
  played.answerBy(async (_asked, ask) => edited(await ask(), hidden));
  await played.put('a.ics', 'Review', invitationTo(`mailto:${ADA}`));
  await played.pull();
  expect(played.shown()).toEqual({ 'a.ics': 'Review' });
});

const MINUTE_MS = 60_000;

describe.each([[[]], [['noSyncCollection']]])('at a server with the quirks %j', (quirks) => {
  it('reads events again that were read while the addresses were unknown, once they are known', async () => {
    const played = await startWithAddresses(...quirks);
    const answers = () => Object.fromEntries([...played.mirror].map(([name, { answer }]) => [name, answer]));
    played.hideAddresses(true);
    await played.put('a.ics', 'Review', invitationTo(URN));
    await played.pull();
    await played.put('b.ics', 'Retro', invitationTo(`mailto:${ALIAS}`));
    await played.pull();
    expect(answers()).toEqual({ 'a.ics': undefined, 'b.ics': undefined });

    played.hideAddresses(false);
    played.advance(10 * MINUTE_MS);
    expect(await played.pull()).toEqual(['increment']);
    expect(answers()).toEqual({ 'a.ics': 'needsAction', 'b.ics': 'needsAction' });

    await played.pull();
    const before = played.asked.length;
    await played.pull();
    expect(played.asked.slice(before).filter(({ report }) => report === 'calendar-multiget')).toEqual([]);
  });
});

it('asks for the addresses once an hour, and only when there is an event to read', async () => {
  const played = await startWithAddresses();
  await played.pull();
  expect(played.countOfLooks()).toBe(0);
  await played.put('a.ics', 'Review', invitationTo(`mailto:${ALIAS}`));
  await played.put('b.ics', 'Retro', invitationTo(URN));
  await played.pull();
  const looks = played.countOfLooks();
  expect(looks).toBeGreaterThan(0);
  await played.put('c.ics', 'Plan', invitationTo(URN));
  await played.pull();
  expect(played.countOfLooks()).toBe(looks);
});

it.each([
  ['403', 403, ''],
  ['404', 404, ''],
  ['500', 500, ''],
  ['a principal at another site', 207, 'https://elsewhere.example/principals/ada/'],
])('reads and writes events of a server that answers %s to the question for the addresses', async (_name, status, href) => {
  const played = await startCalendar('noScheduling');
  const principal = `<D:prop><D:current-user-principal><D:href>${href}</D:href></D:current-user-principal></D:prop>`;
  const propstat = `<D:propstat>${principal}<D:status>HTTP/1.1 200 OK</D:status></D:propstat>`;
  const text = `<D:multistatus xmlns:D="DAV:"><D:response><D:href>/</D:href>${propstat}</D:response></D:multistatus>`;
  played.answerBy(async ({ body }, ask) =>
    body.includes('calendar-user-address-set') ? new Response(status === 207 ? text : 'no', { status }) : ask(),
  );
  await played.put('a.ics', 'Review', invitationTo(`mailto:${ADA}`));
  await played.pull();
  expect(played.shown()).toEqual({ 'a.ics': 'Review' });
  const { events } = played.harness.provider;
  const id = idOf(played, 'a.ics');
  const current = eventIn(await events.get(played.session, played.calendar, id));
  const target = { kind: 'event', providerEventId: id, current } as const;
  const answered = eventIn(await events.respond(played.session, played.calendar, target, 'accepted', {}));
  expect(answered.content?.myResponseStatus).toBe('accepted');
});

/** The look-up of persons at a server whose answers, and time, are as told; each takes one look at the home and one at the principal. */
function startLookUp() {
  const server = {
    now: 0,
    looks: 0,
    /** Resolves when the server answers. */
    answers: async () => {},
  };
  const href = (name: string, text: string) => `<${name}><D:href>${text}</D:href></${name}>`;
  const addresses = href('C:calendar-user-address-set', URN) + href('C:calendar-home-set', '/home/');
  const prop = `<D:prop>${href('D:current-user-principal', PRINCIPAL)}${addresses}</D:prop>`;
  const propstat = `<D:propstat>${prop}<D:status>HTTP/1.1 200 OK</D:status></D:propstat>`;
  const names = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"';
  const text = `<D:multistatus ${names}><D:response><D:href>/home/</D:href>${propstat}</D:response></D:multistatus>`;
  const client: Pick<DavClient, 'propfind'> = {
    async propfind(_session, url) {
      server.looks += 1;
      await server.answers();
      return { ...(await readMultistatus(text)), url };
    },
  };
  const clock = waitlessClock(() => server.now);
  return Object.assign(server, { personOf: createPersonOf(client as DavClient, clock) });
}

const lookUpSession = (signal?: AbortSignal): ProviderSession => ({
  accountId: 'acc_1',
  email: ADA,
  accessToken: () => Promise.reject(new Error('a CalDAV account has no access token')),
  credentials: async () => ({ kind: 'password', serverUrl: 'https://dav.example/home/', username: ADA, password: 'x' }),
  ...(signal === undefined ? {} : { signal }),
});

const fails = (reason: ProviderError['reason']) => () => Promise.reject(new ProviderError(reason, 'the server fails'));

it('asks a server that fails again after some minutes, and takes the last known addresses until then', async () => {
  const server = startLookUp();
  const works = server.answers;
  server.answers = fails('forbidden');
  expect(await server.personOf(lookUpSession())).toEqual({ email: ADA, self: [], isKnown: false });
  expect(await server.personOf(lookUpSession())).toEqual({ email: ADA, self: [], isKnown: false });
  expect(server.looks).toBe(1);

  server.now += 10 * MINUTE_MS;
  server.answers = works;
  expect(await server.personOf(lookUpSession())).toEqual({ email: ADA, self: [URN], isKnown: true });

  server.now += 61 * MINUTE_MS;
  server.answers = fails('unavailable');
  expect(await server.personOf(lookUpSession())).toEqual({ email: ADA, self: [URN], isKnown: true });
  expect(server.looks).toBe(4);
});

it('fails when the credentials are refused, and asks again at once', async () => {
  const server = startLookUp();
  const works = server.answers;
  server.answers = fails('invalid-grant');
  await expect(server.personOf(lookUpSession())).rejects.toMatchObject({ reason: 'invalid-grant' });
  server.answers = works;
  expect(await server.personOf(lookUpSession())).toEqual({ email: ADA, self: [URN], isKnown: true });
});

it('asks once for pulls of one account at the same time', async () => {
  const server = startLookUp();
  const people = await Promise.all([1, 2, 3].map(() => server.personOf(lookUpSession())));
  expect(people).toEqual([1, 2, 3].map(() => ({ email: ADA, self: [URN], isKnown: true })));
  expect(server.looks).toBe(2);
});

it('goes on for others when the caller who asked gives up', async () => {
  const server = startLookUp();
  const works = server.answers;
  const caller = new AbortController();
  server.answers = async () => {
    server.answers = works;
    caller.abort(new ProviderError('timeout', 'the caller gave up'));
    throw caller.signal.reason;
  };
  const [first, second] = await Promise.allSettled([
    server.personOf(lookUpSession(caller.signal)),
    server.personOf(lookUpSession()),
  ]);
  expect(first).toMatchObject({ status: 'rejected', reason: { reason: 'timeout' } });
  expect(second).toMatchObject({ status: 'fulfilled', value: { self: [URN] } });
});

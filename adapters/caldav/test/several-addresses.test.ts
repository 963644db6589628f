import { type EventChange, ProviderError, type ProviderEvent } from 'kalends/ports';
import { expect, it } from 'vitest';
import { pathOfId } from '../src/protocol/paths.ts';
import { ADA } from './harness.ts';
import { edited, type PulledCalendar, startCalendar } from './pull/pulled-calendar.ts';

const ALIAS = 'countess@lovelace.example';
const URN = 'urn:uuid:5A1E0B6C-1111-4222-8333-944455556666';
const PRINCIPAL = '/principals/ada@dav.example/';

/** Addresses that the principal has beside that of the account. */
const FURTHER = [`mailto:${ALIAS}`, URN, PRINCIPAL];

/**
 * A calendar of a person with several addresses, and how often they were asked for since the sign-in. Of the stand-in's own scheduling, which
 * knows one address, there is none.
 */
async function startWithAddresses(): Promise<PulledCalendar & { countOfLooks(): number }> {
  const played = await startCalendar('noScheduling');
  const asksAddresses = ({ body }: { readonly body: string }) => body.includes('calendar-user-address-set');
  played.answerBy(async (asked, ask) => {
    if (!asksAddresses(asked)) return ask();
    const hrefs = [`mailto:${ADA}`, ...FURTHER].map((href) => `<D:href>${href}</D:href>`).join('');
    const set = `<D:prop><C:calendar-user-address-set>${hrefs}</C:calendar-user-address-set>`;
    return edited(await ask(), (text) =>
      text.includes('calendar-home-set><D:href>') ? text.replace('<D:prop>', set) : text,
    );
  });
  const before = played.asked.length;
  return Object.assign(played, {
    countOfLooks: () => played.asked.slice(before).filter(asksAddresses).length,
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

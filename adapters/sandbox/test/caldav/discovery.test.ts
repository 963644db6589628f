import { expect, test } from 'vitest';
import {
  bodyOf,
  calendarOf,
  conditionOf,
  DOT,
  eventOf,
  homeOf,
  KATE,
  propfindOf,
  put,
  readMultistatus,
  startCalDav,
} from './harness.ts';

const CALENDAR_PROPS = [
  'D:resourcetype',
  'D:displayname',
  'CS:getctag',
  'D:sync-token',
  'D:current-user-privilege-set',
];

test('leads from the origin to the principal, the home and the calendars', async () => {
  const dav = startCalDav();
  const known = await dav.sandbox.fetch(new Request('http://sandbox.test/.well-known/caldav', { method: 'PROPFIND' }));
  expect([known.status, known.headers.get('location')]).toEqual([301, 'http://sandbox.test/caldav/']);
  const root = await dav.kate('PROPFIND', '/caldav/', {
    body: propfindOf('D:current-user-principal'),
    headers: { depth: '0' },
  });
  expect(root.status).toBe(207);
  const principal = readMultistatus(root.body).responses[0]?.props['current-user-principal']?.trim() ?? '';
  const found = await dav.kate('PROPFIND', principal, {
    body: propfindOf('C:calendar-home-set', 'C:calendar-user-address-set', 'CS:nothing'),
    headers: { depth: '0' },
  });
  const [first] = readMultistatus(found.body).responses;
  expect(first?.props['calendar-home-set']?.trim()).toBe(homeOf(KATE));
  expect(first?.props['calendar-user-address-set']).toContain(`mailto:${KATE}`);
  expect(first?.missing).toEqual(['nothing']);
  const home = await dav.kate('PROPFIND', homeOf(KATE), {
    body: propfindOf(...CALENDAR_PROPS),
    headers: { depth: '1' },
  });
  const calendars = readMultistatus(home.body).responses.filter(({ props }) =>
    props['resourcetype']?.includes('calendar '),
  );
  expect(calendars.map(({ href, props }) => [href, props['displayname']])).toEqual([[calendarOf(KATE), 'Personal']]);
  expect((await dav.kate('OPTIONS', homeOf(KATE))).headers.get('dav')).toContain('calendar-access');
});

test('opens a mailbox with its password alone, and no other mailbox', async () => {
  const dav = startCalDav();
  dav.passwords.set('nobody', 'x');
  for (const who of ['nobody', DOT]) {
    if (who === DOT) dav.passwords.set(DOT, dav.passwords.get(KATE) ?? '');
    const answer = await dav.call(who, 'PROPFIND', '/caldav/', { headers: { depth: '0' } });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Basic realm=/),
    ]);
  }
  const foreign = await dav.kate('PROPFIND', homeOf(DOT), { headers: { depth: '0' } });
  expect(conditionOf(foreign)).toBe('403 D:need-privileges');
  dav.control('revokeGrant', { email: KATE });
  expect((await dav.kate('PROPFIND', '/caldav/', { headers: { depth: '0' } })).status).toBe(401);
});

test('makes, names and deletes a calendar, and keeps the one for invitations', async () => {
  const dav = startCalDav();
  const path = `${homeOf(KATE)}w%20%26%20m/`;
  const set = (prop: string) =>
    `<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop>${prop}</D:prop></D:set></C:mkcalendar>`;
  const refused = await dav.kate('MKCALENDAR', path, { body: set('<D:getetag>"1"</D:getetag>') });
  expect(conditionOf(refused)).toBe('403 D:cannot-modify-protected-property');
  expect((await dav.kate('PROPFIND', path, { headers: { depth: '0' } })).status).toBe(404);
  expect(
    (await dav.kate('MKCALENDAR', path, { body: set('<D:displayname>Work &amp; more</D:displayname>') })).status,
  ).toBe(201);
  expect(conditionOf(await dav.kate('MKCALENDAR', path))).toBe('403 D:resource-must-be-null');
  const patch = (prop: string) =>
    `<D:propertyupdate xmlns:D="DAV:" xmlns:A="http://apple.com/ns/ical/"><D:set><D:prop>${prop}</D:prop></D:set></D:propertyupdate>`;
  await dav.kate('PROPPATCH', path, { body: patch('<A:calendar-color>#FF0000FF</A:calendar-color>') });
  const half = await dav.kate('PROPPATCH', path, {
    body: patch('<D:displayname>x</D:displayname><D:getetag>1</D:getetag>'),
  });
  expect(half.body).toMatch(/403 Forbidden.*424 Failed Dependency/s);
  const shown = await dav.kate('PROPFIND', path, {
    body: propfindOf('D:displayname').replace(
      '</D:prop>',
      '<x:calendar-color xmlns:x="http://apple.com/ns/ical/"/></D:prop>',
    ),
    headers: { depth: '0' },
  });
  expect(readMultistatus(shown.body).responses[0]?.props).toEqual({
    displayname: 'Work & more',
    'calendar-color': '#FF0000FF',
  });
  expect((await dav.kate('DELETE', path)).status).toBe(204);
  expect((await dav.kate('DELETE', path)).status).toBe(404);
  expect(conditionOf(await dav.kate('DELETE', calendarOf(KATE)))).toBe('403 C:default-calendar-needed');
});

test('shows a shared calendar with the privileges of its role', async () => {
  const dav = startCalDav();
  await put(dav, 'a.ics', bodyOf(eventOf('a')));
  const shared = dav.sandbox.caldav.shareCalendar({
    ownerEmail: KATE,
    calendarId: calendarOf(KATE),
    withEmail: DOT,
    role: 'reader',
  });
  const path = `/caldav${shared}`;
  const list = await dav.dot('PROPFIND', path, {
    body: propfindOf('D:getetag', 'D:current-user-privilege-set', 'D:owner'),
    headers: { depth: '1' },
  });
  const [calendar, object] = readMultistatus(list.body).responses;
  const principalOf = (email: string) => homeOf(email).replace('/calendars/', '/principals/');
  expect([calendar, object].map((each) => each?.props['owner']?.trim())).toEqual([
    principalOf(KATE),
    principalOf(KATE),
  ]);
  const home = await dav.dot('PROPFIND', homeOf(DOT), { body: propfindOf('D:owner'), headers: { depth: '1' } });
  const owners = readMultistatus(home.body).responses.map(({ href, props }) => [href, props['owner']?.trim()]);
  expect(Object.fromEntries(owners)).toMatchObject({
    [homeOf(DOT)]: principalOf(DOT),
    [calendarOf(DOT)]: principalOf(DOT),
    [path]: principalOf(KATE),
  });
  expect(calendar?.props['current-user-privilege-set']).not.toContain('write');
  expect((await dav.dot('GET', object?.href ?? '')).body).toContain('UID:a');
  const write = await dav.dot('PUT', `${path}b.ics`, {
    body: bodyOf(eventOf('b')),
    headers: { 'content-type': 'text/calendar' },
  });
  expect(conditionOf(write)).toBe('403 D:need-privileges');
  expect(conditionOf(await dav.dot('DELETE', object?.href ?? ''))).toBe('403 D:need-privileges');
  expect((await dav.dot('DELETE', path)).status, 'the share, not the calendar').toBe(204);
  expect((await dav.kate('GET', `${calendarOf(KATE)}a.ics`)).status).toBe(200);
});

test('refuses an endless depth, broken XML and a DOCTYPE', async () => {
  const dav = startCalDav();
  expect(conditionOf(await dav.kate('PROPFIND', homeOf(KATE)))).toBe('403 D:propfind-finite-depth');
  for (const body of ['<a', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'text']) {
    expect((await dav.kate('PROPFIND', homeOf(KATE), { body, headers: { depth: '0' } })).status, body).toBe(400);
  }
});

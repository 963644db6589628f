import { expect, test } from 'vitest';
import { createScopedWorld } from '../events/series-edit/scoped-world.ts';

const LEGACY = '/O=EXCHANGELABS/OU=X/CN=RECIPIENTS/CN=ROOM';

test('a guest list is sent back with an address that is no e-mail address, and with no new one of the kind', async () => {
  const scoped = await createScopedWorld('microsoft');
  const made = await scoped.world.atProvider('microsoft', 'person1@microsoft.example', 'POST', '/me/events', {
    subject: 'x',
    start: { dateTime: '2026-04-06T09:00:00', timeZone: 'UTC' },
    end: { dateTime: '2026-04-06T10:00:00', timeZone: 'UTC' },
    attendees: [
      { emailAddress: { name: 'Room', address: LEGACY }, type: 'resource' },
      { emailAddress: { name: 'B', address: 'b@c.example' }, type: 'required' },
    ],
  });
  const { attendees } = await scoped.get(made.id);
  const changed = await scoped.put(made.id, { attendees: [...attendees, { email: 'new@c.example' }] });
  expect(changed.attendees.map(({ email }) => email)).toEqual([LEGACY, 'b@c.example', 'new@c.example']);
  for (const email of [`${LEGACY}2`, '']) {
    await expect(scoped.put(made.id, { attendees: [...attendees, { email }] })).rejects.toMatchObject({
      status: 400,
      paths: ['attendees.2.email'],
    });
  }
  await scoped.close();
});

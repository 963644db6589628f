import { expect, test } from 'vitest';
import { createScopedWorld } from '../events/series-edit/scoped-world.ts';

test('the new half of a split has what no field tells of the series', async () => {
  const scoped = await createScopedWorld('google');
  const atProvider = (method: string, path: string, body?: unknown) =>
    scoped.world.atProvider('google', 'person1@google.example', method, `/calendars/primary/events${path}`, body);
  const guest = { email: 'guest@example.com', responseStatus: 'accepted', comment: 'late', additionalGuests: 2 };
  const source = { title: 'CRM', url: 'https://crm.example/x' };
  const made = await atProvider('POST', '', {
    summary: 'Weekly',
    start: { dateTime: '2026-04-06T09:00:00Z', timeZone: 'UTC' },
    end: { dateTime: '2026-04-06T10:00:00Z', timeZone: 'UTC' },
    recurrence: ['RRULE:FREQ=WEEKLY;COUNT=5'],
    attendees: [guest, { email: 'other@example.com' }],
    source,
    anyoneCanAddSelf: true,
  });
  const attendees = [{ email: 'guest@example.com' }, { email: 'new@example.com' }];
  const { id } = await scoped.put(`${made.id}_20260420T090000Z`, { attendees }, 'following');
  const half = await atProvider('GET', `/${id}`);
  expect(half).toMatchObject({ source, anyoneCanAddSelf: true });
  expect(half.attendees).toMatchObject([guest, { email: 'new@example.com', responseStatus: 'needsAction' }]);
  await scoped.close();
});

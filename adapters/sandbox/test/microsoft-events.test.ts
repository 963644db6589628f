import { beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness, type Person, timed } from './microsoft-harness.ts';

let harness: Harness;
let ada: Person;

beforeEach(async () => {
  harness = createHarness();
  ada = await harness.person('ada@contoso.test');
});

describe('events', () => {
  test('a created event comes back with Graph’s defaults, in UTC', async () => {
    const created = await ada.create(timed('Review', '2026-03-02T09:00:00', 'America/New_York'));
    expect(created).toMatchObject({
      subject: 'Review',
      start: { dateTime: '2026-03-02T14:00:00.0000000', timeZone: 'UTC' },
      originalStartTimeZone: 'America/New_York',
      type: 'singleInstance',
      isOrganizer: true,
      showAs: 'busy',
      seriesMasterId: null,
    });
    expect(created).not.toHaveProperty('originalStart');
    expect(await ada.read(`/me/events/${created.id}`)).toMatchObject({ id: created.id, subject: 'Review' });
  });
});

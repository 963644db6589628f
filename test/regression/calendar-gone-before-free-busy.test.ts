import { expect, test } from 'vitest';
import { fakeCalendar } from '../mirror/fake-provider.ts';
import { ACCOUNT, CALENDAR, CALLER, syncWorld } from '../mirror/sync-world.ts';

const GOING = 'cal_going';

test('a calendar that is removed while its busy time is read is named by its place in the request', async () => {
  const world = await syncWorld();
  try {
    world.fake.putCalendar(fakeCalendar(GOING));
    const query = () =>
      world.freeBusy.query(CALLER, ACCOUNT, {
        startDateTime: '2026-03-04T00:00:00Z',
        endDateTime: '2026-03-05T00:00:00Z',
        timeZone: 'UTC',
        // Twice the same: the place is that of the request, not that of the calendar.
        calendarIds: [CALENDAR, CALENDAR, GOING],
      });
    await query();
    const { mirror } = world.storage;
    const { readBusy } = mirror;
    mirror.readBusy = async (asked) => {
      await mirror.remove({ ...CALLER, accountId: ACCOUNT, calendarId: GOING }, { at: 1, messageId: () => 'msg_1' });
      return await readBusy(asked);
    };
    await expect(query()).rejects.toMatchObject({ code: 'NotFound', details: [{ path: 'calendarIds.2' }] });
    mirror.readBusy = readBusy;
  } finally {
    await world.close();
  }
});

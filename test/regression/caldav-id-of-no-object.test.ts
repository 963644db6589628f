import { expect, it } from 'vitest';
import { ADA, startHarness } from '../../adapters/caldav/test/harness.ts';

it('reads an id that is none of an object as gone: the list of re-reads may name one, and a pull must not fail for it', async () => {
  const harness = await startHarness();
  try {
    const session = await harness.sessionOf(ADA);
    const calendar = await harness.primaryOf(ADA);
    const { events } = harness.provider;
    const folder = Buffer.from(calendar.id, 'base64url').toString();
    const object = Buffer.from(`${folder}a.ics`).toString('base64url');
    const elsewhere = Buffer.from('/caldav/calendars/grace/personal/a.ics').toString('base64url');
    for (const id of [`${object}_20260302T090000Z`, elsewhere, calendar.id, 'x', object]) {
      expect(await events.get(session, calendar, id)).toEqual([{ kind: 'deleted', providerEventId: id }]);
    }
    const gone = { ...calendar, id: Buffer.from(`${folder}gone/`).toString('base64url') };
    const inGone = Buffer.from(`${folder}gone/a.ics`).toString('base64url');
    for (const id of [inGone, object]) {
      await expect(events.get(session, gone, id)).rejects.toMatchObject({ reason: 'not-found' });
    }
  } finally {
    await harness.close();
  }
});

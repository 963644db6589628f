import { manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { createDavWorld, fillDavMailbox } from '../distortion/caldav-mailbox.ts';
import { countingTraffic } from '../distortion/counting-traffic.ts';

const OBJECTS = 12;

/** An object with two invitations to single occurrences, without their series. */
function invitations(uid: string, title: string): string {
  const events = ['20270301', '20270308'].flatMap((day) => [
    ...['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20260101T000000Z', `RECURRENCE-ID:${day}T090000Z`],
    ...[`DTSTART:${day}T090000Z`, `DTEND:${day}T100000Z`, `SUMMARY:${title}`, 'END:VEVENT'],
  ]);
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...events, 'END:VCALENDAR', ''].join('\r\n');
}

it('a reconciliation reads invitations to single occurrences only where they have changed', async () => {
  const clock = manualClock(Date.UTC(2027, 0, 1));
  const read: string[] = [];
  let hides = false;
  const traffic = countingTraffic(async (request, pass) => {
    const body = await request.clone().text();
    // The feed tells of nothing, so that the reconciliation finds the change.
    const token = /<D:sync-token>.*<\/D:sync-token>/.exec(body)?.[0];
    if (hides && token !== undefined) {
      return new Response(`<D:multistatus xmlns:D="DAV:">${token}</D:multistatus>`, { status: 207 });
    }
    if (body.includes('calendar-multiget'))
      read.push(...[...body.matchAll(/(i\d+)\.ics/g)].map(([, name = '']) => name));
    return pass();
  });
  let reconciliations = 0;
  const note = () => undefined;
  const info = (message: string) => {
    if (message === 'reconciliation') reconciliations += 1;
  };
  const world = await createDavWorld(
    {
      clock,
      logger: { debug: note, warn: note, error: note, info },
      storage: sqlite({ path: ':memory:', clock }),
      sync: { pollWithoutPushMs: 3_600_000, reconcileEveryMs: 1 },
    },
    traffic.intercept,
  );
  onTestFinished(() => world.close());
  const mailbox = await fillDavMailbox(world, 0, []);
  const folder = Buffer.from(mailbox.calendarId, 'base64url').toString();
  const put = (name: string, title: string) => mailbox.put(`${folder}${name}.ics`, invitations(name, title));
  for (let at = 0; at < OBJECTS; at += 1) await put(`i${at}`, 'Invited');
  const path = `/v1/events/${mailbox.accountId}/${mailbox.calendarId}?limit=100`;
  const titles = async () => {
    const { data } = (await world.call('GET', path)).body;
    return data.map(({ title }: { title: string }) => title).toSorted();
  };
  expect(await titles()).toEqual(Array(2 * OBJECTS).fill('Invited'));
  const untilReconciled = async () => {
    // A calendar that is read is polled.
    await titles();
    const before = reconciliations;
    for (let turn = 0; turn < 2_000 && reconciliations === before; turn += 1) {
      await clock.advance(5_000);
      await traffic.quiet();
    }
    expect(reconciliations).toBe(before + 1);
  };
  await untilReconciled();
  read.length = 0;
  await untilReconciled();
  expect(read).toEqual([]);
  hides = true;
  await put('i3', 'Moved');
  await untilReconciled();
  expect(new Set(read)).toEqual(new Set(['i3']));
  expect((await titles()).filter((title: string) => title === 'Moved')).toHaveLength(2);
}, 60_000);

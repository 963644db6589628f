import { manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import type { HoldStore } from 'kalends/ports';
import { expect, it } from 'vitest';
import { body } from '../interface/steps.ts';
import { createWorld } from '../interface/world.ts';

const slotAt = (hour: string, until: string) => ({
  startDateTime: `2026-03-05T${hour}:00`,
  endDateTime: `2026-03-05T${until}:00`,
  timeZone: 'Europe/Berlin',
});

it('a move is not refused for an equal one that has ended between the refusal and the second look', async () => {
  const clock = manualClock(Date.UTC(2026, 2, 1, 12));
  const opened = sqlite({ path: ':memory:', clock });
  let first: Promise<unknown> | undefined;
  /** Holds back a refused `take` until the first move has been answered. */
  const take: HoldStore['take'] = async (...parameters) => {
    const taken = await opened.holds.take(...parameters);
    if (taken.kind !== 'taken') await first;
    return taken;
  };
  const storage = { ...opened, holds: { ...opened.holds, take } };
  const time = { now: clock.now, wait: (ms: number) => clock.sleep(ms) };
  const world = await createWorld({ storage, clock }, { clock, time, background: false });
  try {
    const { accountId, calendarId } = await world.connect('google');
    const participants = [{ endUserAccountId: accountId, calendarIds: [calendarId] }];
    const held = await world.call('POST', '/v1/holds', { body: { participants, ...slotAt('09:00', '10:00') } });
    const path = `/v1/holds/${body(held, 201).id}/confirm`;
    const { token } = body(await world.call('POST', path, { body: { event: { title: 'Advice' } } }), 201);
    const move = () => world.call('PUT', `/v1/bookings/${token}`, { body: slotAt('11:00', '12:00') });
    world.sandbox.faults.arm({
      provider: 'google',
      method: 'PATCH',
      path: '.*',
      kind: 'delay',
      delayMs: 3_000,
      times: 1,
    });
    const begun = move();
    first = begun;
    const both = Promise.all([begun, move()]);
    let isDone = false;
    void both.finally(() => {
      isDone = true;
    });
    while (!isDone) await clock.advance(100);
    const starts = (await both).map((answer) => body(answer).event.start.dateTime.slice(11, 16));
    expect(starts).toEqual(['11:00', '11:00']);
  } finally {
    await world.close();
  }
});

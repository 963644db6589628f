import type { Engine } from 'kalends';
import { expect } from 'vitest';
import { sizeOf } from '../size-of.ts';
import {
  type Act,
  codeOf,
  confirm,
  describeDeaths,
  expectFree,
  FIRST,
  HOUR_MS,
  OTHER,
  OVER_MS,
  type Stage,
  slotOf,
  TITLE,
  take,
  written,
} from './hold-deaths.ts';

/** Every so many awaits a process dies. */
const STRIDE = sizeOf('stride', { short: 30, long: 8 });

const prepareHold: Act['prepare'] = async (engine, stage) => (await take(engine, stage)).id;
const prepareBooking: Act['prepare'] = async (engine, stage) =>
  (await confirm(engine, stage, await prepareHold(engine, stage))).token;

/** A confirmation that was left has become a booking that can be used, or nothing. */
async function expectWhole(engine: Engine, stage: Stage, holdId: string): Promise<void> {
  const { caller } = stage;
  const { status, bookingToken: token } = await engine.holds.get(caller, holdId);
  expect([status, (await written(stage)).length]).toEqual(token === null ? ['expired', 0] : ['booked', 1]);
  if (token !== null) {
    expect((await engine.bookings.get(caller, token)).event).toMatchObject({ title: TITLE });
    const moved = await engine.bookings.move(caller, token, slotOf(OTHER));
    expect(moved.event?.start.dateTime).toBe(moved.startDateTime);
    expect(await written(stage)).toHaveLength(1);
    await engine.bookings.cancel(caller, token);
  }
  expect(await written(stage)).toEqual([]);
  await expectFree(engine, stage, OTHER, true);
}

const ACTS: Readonly<Record<string, Act>> = {
  'takes a slot': {
    prepare: async () => '',
    perform: (engine, stage) => take(engine, stage),
    async judge(engine, stage) {
      await stage.world.time.pass(OVER_MS);
      await expectFree(engine, stage, FIRST, true);
      await expectFree(engine, stage, FIRST, false);
    },
  },
  'confirms a hold, which its caller repeats': {
    prepare: prepareHold,
    perform: (engine, stage, holdId) => confirm(engine, stage, holdId),
    async judge(engine, stage, holdId) {
      const booking = await confirm(engine, stage, holdId);
      expect(booking.event).toMatchObject({ title: TITLE });
      expect(await confirm(engine, stage, holdId)).toEqual(booking);
      expect(await written(stage)).toHaveLength(1);
      await expectFree(engine, stage, OTHER, false);
    },
  },
  'confirms a hold, which its caller leaves': {
    prepare: prepareHold,
    perform: (engine, stage, holdId) => confirm(engine, stage, holdId),
    async judge(engine, stage, holdId) {
      await stage.world.time.pass(OVER_MS);
      await expectWhole(engine, stage, holdId);
    },
  },
  'confirms a hold, which its caller repeats when its time is over': {
    prepare: prepareHold,
    perform: (engine, stage, holdId) => confirm(engine, stage, holdId),
    async judge(engine, stage, holdId) {
      await stage.world.time.pass(OVER_MS);
      const outcome = (await codeOf(confirm(engine, stage, holdId))) ?? 'booked';
      const events = await written(stage);
      // A confirmation that had not begun has no hold to begin with any more.
      expect([outcome, events.length]).toEqual(outcome === 'booked' ? ['booked', 1] : ['Conflict', 0]);
      await expectFree(engine, stage, OTHER, events.length === 0);
    },
  },
  'moves a booking': {
    prepare: prepareBooking,
    perform: (engine, { caller }, token) => engine.bookings.move(caller, token, slotOf(OTHER)),
    async judge(engine, stage, token) {
      await stage.world.time.pass(OVER_MS);
      const moved = await engine.bookings.move(stage.caller, token, slotOf(OTHER));
      expect(moved).toMatchObject({ token, event: { start: { dateTime: moved.startDateTime } } });
      expect(await written(stage)).toHaveLength(1);
      await expectFree(engine, stage, FIRST - HOUR_MS / 2, true);
      await expectFree(engine, stage, OTHER, false);
    },
  },
  'moves a booking, which its caller leaves': {
    prepare: prepareBooking,
    perform: (engine, { caller }, token) => engine.bookings.move(caller, token, slotOf(OTHER)),
    async judge(engine, stage, token) {
      await stage.world.time.pass(OVER_MS);
      const { startDateTime, event } = await engine.bookings.get(stage.caller, token);
      expect(event?.start.dateTime).toBe(startDateTime);
      const isMoved = Date.parse(startDateTime) === OTHER;
      await expectFree(engine, stage, FIRST - HOUR_MS / 2, isMoved);
    },
  },
  'cancels a booking': {
    prepare: prepareBooking,
    perform: (engine, { caller }, token) => engine.bookings.cancel(caller, token),
    async judge(engine, stage, token) {
      expect([null, 'NotFound']).toContain(await codeOf(engine.bookings.cancel(stage.caller, token)));
      expect(await written(stage)).toEqual([]);
      await expectFree(engine, stage, FIRST, true);
    },
  },
};

describeDeaths(ACTS, { stride: STRIDE, isForTwo: false });

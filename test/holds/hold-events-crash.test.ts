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

/** Every so many awaits a process dies; at each of them it takes a quarter of an hour. */
const STRIDE = sizeOf('stride', { short: 80, long: 24 });

/** The tentative event has the title of the booked one, so that all events of ours are counted. */
const SHOWN = { tentativeEvent: { writeTo: 'each', title: TITLE } } as const;
const EACH = { writeTo: 'each' } as const;

const prepareHold: Act['prepare'] = async (engine, stage) => (await take(engine, stage, FIRST, SHOWN)).id;
const prepareBooking: Act['prepare'] = async (engine, stage) =>
  (await confirm(engine, stage, await prepareHold(engine, stage), EACH)).token;

/** The events of both people; they have the same, or none has any. */
async function ofBoth(stage: Stage): Promise<readonly string[]> {
  const [ofFirst = [], ofSecond = []] = await Promise.all([written(stage, 0), written(stage, 1)]);
  const timesOf = (lines: readonly string[]) => lines.map((line) => line.slice(line.indexOf(TITLE)));
  expect(timesOf(ofSecond)).toEqual(timesOf(ofFirst));
  return ofFirst;
}

const ACTS: Readonly<Record<string, Act>> = {
  'takes a slot and shows it': {
    prepare: async () => '',
    perform: (engine, stage) => take(engine, stage, FIRST, SHOWN),
    async judge(engine, stage) {
      await stage.world.time.pass(OVER_MS);
      expect(await ofBoth(stage)).toEqual([]);
      await expectFree(engine, stage, OTHER, true);
    },
  },
  'releases a slot that is shown': {
    prepare: prepareHold,
    perform: (engine, { caller }, holdId) => engine.holds.delete(caller, holdId),
    async judge(engine, stage, holdId) {
      await stage.world.time.pass(OVER_MS);
      expect(await ofBoth(stage)).toEqual([]);
      const status = await engine.holds.get(stage.caller, holdId).catch(({ code }) => ({ status: code }));
      expect(['NotFound', 'expired']).toContain(status.status);
      await expectFree(engine, stage, OTHER, true);
    },
  },
  'confirms a hold that is shown, for each, which its caller repeats': {
    prepare: prepareHold,
    perform: (engine, stage, holdId) => confirm(engine, stage, holdId, EACH),
    async judge(engine, stage, holdId) {
      const booking = await confirm(engine, stage, holdId, EACH);
      expect(booking.participantEvents).toHaveLength(2);
      await stage.world.time.pass(OVER_MS);
      expect(await confirm(engine, stage, holdId, EACH)).toEqual(booking);
      expect(await ofBoth(stage)).toHaveLength(1);
    },
  },
  'confirms a hold that is shown, for each, which its caller leaves': {
    prepare: prepareHold,
    perform: (engine, stage, holdId) => confirm(engine, stage, holdId, EACH),
    async judge(engine, stage, holdId) {
      const { caller } = stage;
      await stage.world.time.pass(OVER_MS);
      // A hold of which a part was written is released.
      const hold = await engine.holds.get(caller, holdId).catch(() => undefined);
      const token = hold?.bookingToken ?? null;
      expect(await ofBoth(stage)).toHaveLength(token === null ? 0 : 1);
      if (token !== null) await engine.bookings.cancel(caller, token);
      expect(await ofBoth(stage)).toEqual([]);
      await expectFree(engine, stage, OTHER, true);
    },
  },
  'moves the events of each, which its caller leaves': {
    prepare: prepareBooking,
    perform: (engine, { caller }, token) => engine.bookings.move(caller, token, slotOf(OTHER)),
    async judge(engine, stage, token) {
      await stage.world.time.pass(OVER_MS);
      const { startDateTime, event } = await engine.bookings.get(stage.caller, token);
      expect(event?.start.dateTime).toBe(startDateTime);
      expect(await ofBoth(stage)).toHaveLength(1);
      await expectFree(engine, stage, FIRST - HOUR_MS / 2, Date.parse(startDateTime) === OTHER);
    },
  },
  'cancels the events of each, which its caller leaves': {
    prepare: prepareBooking,
    perform: (engine, { caller }, token) => engine.bookings.cancel(caller, token),
    async judge(engine, stage, token) {
      await stage.world.time.pass(OVER_MS);
      const code = await codeOf(engine.bookings.get(stage.caller, token));
      expect(await ofBoth(stage)).toHaveLength(code === null ? 1 : 0);
      await expectFree(engine, stage, OTHER, code !== null);
    },
  },
};

describeDeaths(ACTS, { stride: STRIDE, isForTwo: true });

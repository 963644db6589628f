import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DueLane, shareOut } from '../../src/webhooks/share-out.ts';

const lane = (application: string, host: string, due: number, firstDueAt = 0): DueLane => ({
  application_id: application,
  host,
  due,
  first_due_at: firstDueAt,
});
const counts = (shares: ReturnType<typeof shareOut>) =>
  Object.fromEntries(shares.map(({ lane: { application_id, host }, count }) => [`${application_id} ${host}`, count]));

test('applications take turns, and so do the hosts of each', () => {
  const lanes = [lane('a', 'x', 100), lane('a', 'y', 100), lane('b', 'x', 2)];
  expect(counts(shareOut(lanes, 9, undefined))).toEqual({ 'a x': 4, 'a y': 3, 'b x': 2 });
  expect(counts(shareOut(lanes, 2, undefined))).toEqual({ 'a x': 1, 'b x': 1 });
});

test('the application that has waited longest comes first', () => {
  expect(counts(shareOut([lane('a', 'x', 1, 2), lane('b', 'x', 1, 1)], 1, undefined))).toEqual({ 'b x': 1 });
});

const lanesArbitrary = fc.uniqueArray(
  fc.record({
    application_id: fc.constantFrom('a', 'b', 'c'),
    host: fc.constantFrom('x', 'y', 'z'),
    due: fc.integer({ min: 1, max: 20 }),
    first_due_at: fc.nat(100),
  }),
  { selector: ({ application_id, host }) => `${application_id} ${host}` },
);

test('stays within capacity, keeps applications within one delivery of each other, and leaves no capacity unused', () => {
  fc.assert(
    fc.property(lanesArbitrary, fc.nat(60), fc.nat(20), fc.nat(8), (lanes, limit, ofApplication, ofHost) => {
      const capacity = { ofApplication: () => ofApplication, ofHost: () => ofHost };
      const given = counts(shareOut(lanes, limit, capacity));
      const of = ({ application_id, host }: DueLane) => given[`${application_id} ${host}`] ?? 0;
      const sum = (list: readonly DueLane[]) => list.reduce((total, each) => total + of(each), 0);
      expect(sum(lanes)).toBeLessThanOrEqual(limit);
      const applications = [...new Set(lanes.map(({ application_id }) => application_id))].map((id) => {
        const own = lanes.filter(({ application_id }) => application_id === id);
        const open = own.filter((each) => of(each) < Math.min(each.due, ofHost));
        return { taken: sum(own), canTakeMore: sum(own) < ofApplication && open.length > 0, own, open };
      });
      for (const { taken, canTakeMore, own, open } of applications) {
        expect(taken).toBeLessThanOrEqual(ofApplication);
        for (const each of own) expect(of(each)).toBeLessThanOrEqual(Math.min(each.due, ofHost));
        for (const hungry of open) for (const each of own) expect(of(each) - of(hungry)).toBeLessThan(2);
        if (!canTakeMore) continue;
        expect(sum(lanes)).toBe(limit);
        for (const other of applications) expect(other.taken - taken).toBeLessThan(2);
      }
    }),
    { numRuns: 2_000 },
  );
});

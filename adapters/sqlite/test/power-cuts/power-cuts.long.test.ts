import { rmSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { sizeOf } from '../../../../test/size-of.ts';
import { type CycleReport, playCycle } from './power-cycle.ts';
import type { Flaw } from './program.ts';
import { type Equipment, prepareEquipment } from './record-program.ts';

const FROM = sizeOf('from', { short: 1, long: 1 });
const CYCLES = sizeOf('cycles', { short: 1, long: 2 });
const CUTS = sizeOf('cuts', { short: 3, long: 3 });
const STATES = sizeOf('states', { short: 12, long: 12 });
const WORKS = sizeOf('works', { short: 40, long: 40 });
/** Cycles that are played side by side: they wait for processes and timers. */
const ABREAST = 4;
const PROGRESS = 10;

let equipment: Equipment;
beforeAll(async () => {
  equipment = await prepareEquipment();
  return () => rmSync(equipment.home, { recursive: true });
});

test(`the power is cut in ${CYCLES} recordings, ${CUTS} times in each: nothing acknowledged is lost`, async () => {
  const seeds = Array.from({ length: CYCLES }, (_, index) => FROM + index);
  const reports: CycleReport[] = [];
  const playSeeds = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const report = await playCycle({ equipment, seed, cuts: CUTS, states: STATES, works: WORKS });
      const sizes = `--cycles=1 --cuts=${CUTS} --states=${STATES} --works=${WORKS}`;
      expect(report.faults, `npm run prove -- power-cuts --from=${seed} ${sizes}`).toEqual([]);
      reports.push(report);
      if (reports.length % PROGRESS === 0 && reports.length < CYCLES) console.log(told(reports));
    }
  };
  await Promise.all(Array.from({ length: ABREAST }, playSeeds));
  console.log(told(reports));
});

test.each<[Flaw, string]>([
  ['off', 'commits without a sync'],
  ['normal', 'syncs at checkpoints only'],
  ['early', 'acknowledges before the commit'],
])('the proof notices a process with the flaw "%s": it %s', async (flaw) => {
  const { faults } = await playCycle({ equipment, seed: 1, cuts: 12, states: 4, works: 20, flaw });
  expect(faults.join('\n')).toMatch(/acknowledged|is lost/);
});

function told(reports: readonly CycleReport[]): string {
  const sum = (count: (report: CycleReport) => number) => reports.reduce((total, report) => total + count(report), 0);
  const [cuts, states, databases] = [
    sum((each) => each.cuts),
    sum((each) => each.states),
    sum((each) => each.databases),
  ];
  const [calls, syncs] = [sum((each) => each.calls), sum((each) => each.syncs)];
  const refused = sum((each) => each.refusedTokens);
  return (
    `${reports.length} cycles, ${calls} file calls with ${syncs} syncs, ${cuts} power cuts, ${states} states of the disk, ` +
    `${databases} databases, ${sum((each) => each.acknowledged)} acknowledged writes, 0 lost; ${refused} sync tokens refused`
  );
}

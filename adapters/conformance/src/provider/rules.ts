import assert from 'node:assert/strict';
import type { RecurrenceCapabilities } from 'kalends/ports';
import { readsAlike } from './fields.ts';
import { timed } from './times.ts';
import { HOUR_MS, onStage, type ProviderConformanceOptions } from './world.ts';

const ZONE = 'Europe/London';

/** Recurrence lines, and the day of March 2026 on which their series begins, at nine. */
type Lines = readonly [day: number, ...lines: readonly string[]];

/** Rules of one pattern: every provider supports those of its frequencies. */
const PATTERNED: readonly Lines[] = [
  [2, 'RRULE:FREQ=DAILY'],
  [2, 'RRULE:FREQ=DAILY;INTERVAL=3;COUNT=5'],
  [2, 'RRULE:FREQ=DAILY;UNTIL=20260401T080000Z'],
  [2, 'RRULE:FREQ=WEEKLY'],
  [2, 'RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=12'],
  [2, 'RRULE:FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=MO,SU'],
  [2, 'RRULE:FREQ=MONTHLY;BYMONTHDAY=2'],
  [2, 'RRULE:FREQ=MONTHLY;BYDAY=1MO'],
  [27, 'RRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20270401T080000Z'],
  [31, 'RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1'],
  [2, 'RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=2'],
  [2, 'RRULE:FREQ=YEARLY;INTERVAL=2;BYMONTH=3;BYDAY=1MO;COUNT=3'],
];

const OTHER: readonly Lines[] = [
  [2, 'RRULE:FREQ=MONTHLY;BYMONTHDAY=2,16'],
  [31, 'RRULE:FREQ=MONTHLY;BYMONTHDAY=31'],
  [20, 'RRULE:FREQ=MONTHLY;BYDAY=-2FR'],
  [2, 'RRULE:FREQ=YEARLY;BYMONTH=3,9;BYMONTHDAY=2'],
  [2, 'RRULE:FREQ=YEARLY;BYYEARDAY=61,300'],
  [2, 'RRULE:FREQ=YEARLY;BYWEEKNO=10;BYDAY=MO'],
];

/** Recurrence lines round-trip unchanged within the provider's capabilities. */
export function ruleConformance(options: ProviderConformanceOptions): void {
  onStage(options, 'rules: each one that can be held comes back as it was given', async (stage) => {
    for (const [day, ...recurrence] of held(stage.capabilities.recurrence)) {
      const at = Date.UTC(2026, 2, day, 9);
      const series = await stage.create({ title: 'Series', recurrence, ...timed(ZONE, at, ZONE, at + HOUR_MS) });
      assert.deepEqual(series.content?.recurrence, recurrence);
      await readsAlike(stage, series);
    }
  });

  onStage(options, 'rules: one takes the place of another', async (stage) => {
    const lines = held(stage.capabilities.recurrence).filter(([day]) => day === 2);
    let series = await stage.create({ title: 'Series' });
    for (const [, ...recurrence] of lines) {
      series = await stage.update(series, { recurrence });
      assert.deepEqual(series.content?.recurrence, recurrence);
      await readsAlike(stage, series);
    }
  });
}

function held({ frequencies, rules, rdate, exdate }: RecurrenceCapabilities): readonly Lines[] {
  const all: readonly Lines[] = [
    ...PATTERNED,
    ...(rules === 'any' ? OTHER : []),
    ...(rdate ? [[2, 'RRULE:FREQ=DAILY;COUNT=2', 'RDATE:20260310T090000Z'] as const] : []),
    ...(exdate ? [[2, 'RRULE:FREQ=DAILY;COUNT=5', 'EXDATE:20260303T090000Z,20260305T090000Z'] as const] : []),
  ];
  return all.filter(([, rule = '']) => frequencies.some((frequency) => rule.includes(`FREQ=${frequency}`)));
}

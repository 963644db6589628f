import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sizeOf } from '../../size-of.ts';
import {
  editAll,
  editThis,
  headOf,
  isCancelled,
  isFirst,
  type PlainEdit,
  type PlainRule,
  type PlainSeries,
  shownOf,
  slotsOf,
  tailOf,
  weekdayOf,
} from './plain-series.ts';
import { createScopedWorld, type ScopedWorld } from './scoped-world.ts';
import { ZONE } from './stage.ts';

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2026, 1, 23) / DAY_MS;
/** Over both changes of the clocks. */
const [FROM, TO] = [FIRST_DAY - 10, FIRST_DAY + 300];
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const KINDS = [
  'title',
  'time',
  'cancel',
  'restore',
  'all title',
  'all time',
  'all rule',
  'all moved',
  'all title by occurrence',
  'following title',
  'following time',
  'following rule',
  'following deleted',
  'all deleted',
] as const;

const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
const clockOf = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00`;
const pointOf = (day: number, minutes: number) => ({ dateTime: `${dateOf(day)}T${clockOf(minutes)}`, timeZone: ZONE });
const timesOf = (day: number, minutes: number, length: number) => ({
  start: pointOf(day, minutes),
  end: pointOf(day, minutes + length),
});

function linesOf({ freq, interval, days, wkst, end }: PlainRule): string[] {
  const byDay = freq === 'WEEKLY' ? `;BYDAY=${days.map((day) => WEEKDAYS[day]).join(',')};WKST=${WEEKDAYS[wkst]}` : '';
  const until =
    end === null ? '' : 'count' in end ? `;COUNT=${end.count}` : `;UNTIL=${dateOf(end.until).replaceAll('-', '')}`;
  return [`RRULE:FREQ=${freq};INTERVAL=${interval}${byDay}${until}`];
}

const command = fc.record({
  kind: fc.constantFrom(...KINDS),
  series: fc.nat(20),
  slot: fc.nat(40),
  days: fc.integer({ min: -2, max: 2 }),
  minutes: fc.constantFrom(480, 540, 615, 840),
  length: fc.constantFrom(30, 60),
  rule: fc.record({
    freq: fc.constantFrom('DAILY' as const, 'WEEKLY' as const),
    interval: fc.integer({ min: 1, max: 3 }),
    days: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1, maxLength: 3 }),
    wkst: fc.constantFrom(0, 6),
    end: fc.oneof(
      fc.record({ count: fc.integer({ min: 2, max: 12 }) }),
      fc.record({ until: fc.integer({ min: 3, max: 60 }) }),
      fc.constant(null),
    ),
  }),
});
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** A rule that begins on a day: the day is one of its own. */
function ruleFrom({ freq, interval, days, wkst, end }: Command['rule'], day: number): PlainRule {
  return {
    freq,
    interval,
    days: freq === 'DAILY' ? [] : [...new Set([...days, weekdayOf(day)])].sort((a, b) => a - b),
    wkst: freq === 'DAILY' ? 0 : wkst,
    end: end !== null && 'until' in end ? { until: day + end.until } : end,
  };
}

/** The engine and the model side by side. */
class Pair {
  readonly world: ScopedWorld;
  all: readonly PlainSeries[] = [];
  #titles = 0;

  constructor(world: ScopedWorld) {
    this.world = world;
  }

  async begin({ rule, minutes, length }: Command): Promise<void> {
    const own = ruleFrom(rule, FIRST_DAY);
    const title = this.#title();
    const created = await this.world.create({
      title,
      ...timesOf(FIRST_DAY, minutes, length),
      recurrence: linesOf(own),
    });
    const series = { id: created.id, title, day: FIRST_DAY, minutes, length, rule: own, exceptions: new Map() };
    this.all = [...this.all, series];
  }

  async play(step: Command): Promise<void> {
    const series = this.all[step.series % this.all.length];
    if (series === undefined) return this.begin(step);
    const slots = slotsOf(series);
    const day = slots[step.slot % Math.min(slots.length, 25)]!;
    const id = this.#occurrenceId(series, day);
    const { minutes, length } = step;
    const isGone = isCancelled(series, day);
    switch (step.kind) {
      case 'title':
      case 'time': {
        const edit = step.kind === 'title' ? { title: this.#title() } : { times: { days: 0, minutes, length } };
        await this.world.put(id, { ...bodyOf(edit, day), ...(isGone ? { isCancelled: false } : {}) });
        return this.#set(editThis(series, day, edit));
      }
      case 'cancel':
      case 'restore':
        if (isGone) {
          await this.world.put(id, { isCancelled: false });
          return this.#set(editThis(series, day, {}));
        }
        // Of a series without occurrences a provider may make what it likes.
        if (slots.filter((slot) => !isCancelled(series, slot)).length < 2) return;
        await this.world.remove(id);
        return this.#set(editThis(series, day, 'cancel'));
      case 'all title':
      case 'all time': {
        const edit = step.kind === 'all title' ? { title: this.#title() } : { times: { days: 0, minutes, length } };
        await this.world.put(series.id, bodyOf(edit, series.day));
        return this.#set(editAll(series, edit));
      }
      case 'all rule':
        return this.#all(series, { rule: ruleFrom(step.rule, series.day) }, undefined);
      case 'all moved':
        return this.#all(series, { times: { days: step.days, minutes, length } }, day);
      case 'all title by occurrence':
        // Graph cannot take a title of its own from an occurrence again.
        if (series.exceptions.get(day)?.title !== undefined) return;
        return this.#all(series, { title: this.#title() }, day);
      case 'following title':
        return this.#following(series, { title: this.#title() }, day);
      case 'following time':
        return this.#following(series, { times: { days: Math.abs(step.days), minutes, length } }, day);
      case 'following rule':
        return this.#following(series, { rule: ruleFrom(step.rule, day) }, day);
      case 'following deleted':
        await this.world.remove(id, 'following');
        return isFirst(series, day) ? this.#drop(series) : this.#set(headOf(series, day));
      case 'all deleted':
        if (this.all.length < 2) return;
        await this.world.remove(id, 'all');
        return this.#drop(series);
    }
  }

  /** Compares what the engine lists with the model; with the provider itself at the end. */
  async check(note: string): Promise<void> {
    const wanted = this.all.flatMap((series) => shownOf(series, FROM, TO)).sort();
    const data = await this.world.list({
      expandRecurrences: 'true',
      startDateTime: `${dateOf(FROM)}T00:00:00`,
      endDateTime: `${dateOf(TO)}T00:00:00`,
      timeZone: ZONE,
    });
    const listed = data.map(({ start, end, title }) => rowOf(start.dateTime, end.dateTime, title)).sort();
    expect(listed, note).toEqual(wanted);
  }

  async #all(series: PlainSeries, edit: PlainEdit, named: number | undefined): Promise<void> {
    const next = editAll(series, edit, named);
    if (named === undefined) await this.world.put(series.id, bodyOf(edit, series.day));
    else await this.world.put(this.#occurrenceId(series, named), bodyOf(edit, named), 'all');
    this.#set(next);
  }

  async #following(series: PlainSeries, edit: PlainEdit, day: number): Promise<void> {
    if (isFirst(series, day) && isCancelled(series, day)) return;
    if (edit.title !== undefined && isFirst(series, day) && series.exceptions.get(day)?.title !== undefined) return;
    const made = await this.world.put(this.#occurrenceId(series, day), bodyOf(edit, day), 'following');
    // A rule that is given begins with the occurrence, whatever cancelled ones come before.
    if (isFirst(series, day))
      return this.#set(editAll(edit.rule === undefined ? series : { ...series, day }, edit, day));
    this.#set(headOf(series, day));
    this.all = [...this.all, tailOf(series, day, edit, made.id)];
  }

  #set(series: PlainSeries): void {
    this.all = this.all.map((other) => (other.id === series.id ? series : other));
  }

  #drop({ id }: PlainSeries): void {
    this.all = this.all.filter((other) => other.id !== id);
  }

  #title(): string {
    this.#titles += 1;
    return `t${this.#titles}`;
  }

  #occurrenceId(series: PlainSeries, day: number): string {
    const { dateTime } = pointOf(day, series.minutes);
    const guess = Date.parse(`${dateTime}Z`);
    const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'medium' });
    // Eastern time is four or five hours behind UTC.
    const at = [4, 5]
      .map((hours) => guess + hours * 3_600_000)
      .find((ms) => shown.format(ms).replace(' ', 'T') === dateTime)!;
    return `${series.id}_${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  }
}

function bodyOf({ title, times, rule }: PlainEdit, day: number) {
  return {
    ...(title === undefined ? {} : { title }),
    ...(times === undefined ? {} : timesOf(day + times.days, times.minutes, times.length)),
    ...(rule === undefined ? {} : { recurrence: linesOf(rule) }),
  };
}

function rowOf(start: string, end: string, title: string): string {
  const day = Date.parse(`${start.slice(0, 10)}T00:00:00Z`) / DAY_MS;
  const minutes = (text: string) => Number(text.slice(11, 13)) * 60 + Number(text.slice(14, 16));
  return `${day} ${minutes(start)} ${minutes(end) - minutes(start)} ${title}`;
}

const daily: Command['rule'] = { freq: 'DAILY', interval: 1, days: [1], wkst: 0, end: { until: 3 } };
const step = { series: 0, days: 0, minutes: 480, length: 30, rule: daily } as const;
/** Found at random: the modified occurrence that is moved with all others keeps its slot, since the new series has it too. */
const OLD_SLOT_REMAINS: readonly Command[] = [
  { ...step, kind: 'title', slot: 23 },
  { ...step, kind: 'all moved', slot: 23, days: 1, rule: { ...daily, days: [6] } },
];

describe.each(['google', 'microsoft'] as const)('edits of all scopes at %s', (name) => {
  test('leave what a plain model says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 4, maxLength: 12 }), async (steps) => {
        const world = await createScopedWorld(name);
        try {
          const pair = new Pair(world);
          await pair.begin(steps[0]!);
          for (const [index, step] of steps.entries()) {
            await pair.play(step);
            await pair.check(`after step ${index}: ${step.kind}`);
          }
          await world.expectSynced();
          await pair.check('after a pull');
        } finally {
          await world.close();
        }
      }),
      { numRuns: sizeOf('histories', { short: 6, long: 61 }), examples: [[[...OLD_SLOT_REMAINS]]] },
    );
  }, 600_000);
});

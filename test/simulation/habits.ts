import type { Fetch } from 'kalends/ports';
import { dice } from './dice.ts';
import type { Json, ProviderName } from './provider-acts.ts';
import { createRefusedFeed, type RefusedFeed } from './refused-feed.ts';
import type { Tally } from './tally.ts';
import { createUnreadableObjects, type UnreadableObjects } from './unreadable-objects.ts';
import type { SimulatedWorld } from './world.ts';

/**
 * Habits of the real service that a history has beside its storm. They have dice of their own: a history without any of them
 * is the same as if there were none.
 */
export interface Habits {
  readonly refusedFeed: RefusedFeed | undefined;
  readonly unreadable: UnreadableObjects | undefined;
  /** Interval of reconciliations while the storm lasts; undefined leaves the engines' own, which is longer than any storm. */
  readonly reconcileEveryMs: number | undefined;
  /** Share of pushes that are lost. */
  readonly droppedPushes: number;
  /** Once for each step of the storm. Returns descriptions. */
  strike(): Promise<readonly string[]>;
  /** The provider with these habits, as engines reach it. */
  readonly reach: Fetch;
}

/** The habits that each provider has. */
export const HABITS = {
  google: ['unreadable object'],
  caldav: [
    'bodies rewritten',
    'tags look weak',
    'no sync-collection',
    'missing objects left out',
    'listed objects left out',
    'short pages',
    'unreadable object',
  ],
  microsoft: ['unreadable object', 'change feed refused', 'originalStart missing'],
} as const;

export type Habit = (typeof HABITS)[ProviderName][number];

/** The stand-in's names of the habits of CalDAV servers. */
const QUIRKS: Readonly<Partial<Record<Habit, string>>> = {
  'bodies rewritten': 'rewritesBodies',
  'tags look weak': 'weakEtags',
  'no sync-collection': 'noSyncCollection',
  'missing objects left out': 'omitsMissingHrefs',
  'listed objects left out': 'omitsListedHref',
};

/** Histories with each habit. */
const SHARE = 0.2;

/** Share of the exceptions of a series that Graph expands without `originalStart`, where it does so at all. */
const MISSING_STARTS = 0.5;

/** Added to seeds, for dice that no other part throws. */
const FIRST_DICE = 1_000_000_007;
const SECOND_DICE = 2_000_000_011;

/** Returns the habits that a history has. */
export function habitsOf(provider: ProviderName, seed: number): readonly Habit[] {
  const source = dice(seed + FIRST_DICE);
  const habits: readonly Habit[] = HABITS[provider];
  return habits.filter(() => source.chance(SHARE));
}

/** Returns the habits of a history, at work from now on. */
export function drawHabits(world: SimulatedWorld, seed: number, tally: Tally): Habits {
  const source = dice(seed + SECOND_DICE);
  const has = habitsOf(world.provider, seed);
  const refusedFeed = has.includes('change feed refused') ? createRefusedFeed(source.split(), tally) : undefined;
  const unreadable = has.includes('unreadable object')
    ? createUnreadableObjects(source.split(), tally, world.person)
    : undefined;
  const lacksStarts = has.includes('originalStart missing');
  if (lacksStarts) world.sandbox.microsoft.controls['setMissingOriginalStarts']!({ share: MISSING_STARTS });
  if (world.provider === 'caldav') assumeQuirks(world, has, tally);
  let stepsToRefusal = source.below(10);
  const isLasting = refusedFeed !== undefined || unreadable !== undefined;
  return {
    refusedFeed,
    unreadable,
    reconcileEveryMs: isLasting && source.chance(0.5) ? 60_000 : undefined,
    // A calendar without a feed and without most of its pushes has the lists alone.
    droppedPushes: refusedFeed === undefined ? 0.2 : 0.7,
    async strike() {
      const told: (string | undefined)[] = [];
      if (stepsToRefusal === 0) told.push(refusedFeed?.begin(world.person.calendarIds));
      stepsToRefusal -= 1;
      if (source.chance(0.5)) told.push(await unreadable?.befall());
      return told.filter((text) => text !== undefined);
    },
    reach: [
      (provider: Fetch) => refusedFeed?.over(provider) ?? provider,
      (provider: Fetch) => unreadable?.over(provider) ?? provider,
      (provider: Fetch) => (lacksStarts ? countingMissingStarts(provider, tally) : provider),
    ].reduce((provider, wrap) => wrap(provider), world.reach),
  };
}

/** Gives the CalDAV server the habits of others, for the whole history. */
function assumeQuirks({ sandbox }: SimulatedWorld, has: readonly Habit[], tally: Tally): void {
  const { controls } = sandbox.caldav;
  controls['setQuirks']!({ quirks: has.map((habit) => QUIRKS[habit]).filter((quirk) => quirk !== undefined) });
  controls['setSyncPageSize']!({ size: has.includes('short pages') ? 2 : null });
  for (const habit of has) tally.count(habit);
}

/** Counts the exceptions that Graph expands without `originalStart`. */
function countingMissingStarts(provider: Fetch, tally: Tally): Fetch {
  return async (input, init) => {
    const response = await provider(input, init);
    if (!response.ok || !/exceptionOccurrences/.test(String(input instanceof Request ? input.url : input)))
      return response;
    const { exceptionOccurrences = [] }: Json = await response.clone().json();
    for (const { originalStart } of exceptionOccurrences) {
      if (originalStart === undefined) tally.count('originalStart missing');
    }
    return response;
  };
}

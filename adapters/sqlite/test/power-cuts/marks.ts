/** A fact that a process asks of kalends, or that was acknowledged to it. The value null is that of a record that has been removed. */
export type Fact =
  | { readonly about: 'application'; readonly id: string }
  | { readonly about: 'account'; readonly id: string; readonly value: 'there' | null }
  /** The calendar that is written to; its account is `accountId`. */
  | { readonly about: 'calendar'; readonly id: string; readonly accountId: string }
  | { readonly about: 'event'; readonly id?: string; readonly value: string | null }
  | { readonly about: 'hold'; readonly id: string; readonly value: 'held' | 'booked' | null; readonly token?: string }
  | { readonly about: 'subscription'; readonly id: string; readonly value: 'there' | null }
  /** A sync token, and what a client holds by it: titles by id. */
  | { readonly about: 'sync'; readonly token: string; readonly titles: readonly (readonly [string, string])[] }
  /** A message that the receiver has taken. */
  | { readonly about: 'message'; readonly eventType: string; readonly eventId: string | null };

/** Facts whose value changes. */
type ValueFact = Extract<Fact, { readonly value: string | null }>;

/** Written before a work begins, and after its promise has resolved. A lane does one work after the other. */
export interface Mark {
  readonly lane: string;
  readonly is: 'begun' | 'done';
  readonly facts: readonly Fact[];
}

/** Value that was acknowledged last, and the one of a work under way, which the storage may show already. */
interface Kept<Value> {
  readonly told: Value;
  readonly underWay?: Value;
}

/** Facts that must hold after a power cut. */
export interface Promises {
  readonly applicationId: string | undefined;
  readonly calendar: { readonly id: string; readonly accountId: string } | undefined;
  readonly accounts: ReadonlyMap<string, Kept<string | null>>;
  readonly events: ReadonlyMap<string, Kept<string | null>>;
  /** Of works under way, which may have made an event whose id was not told yet. */
  readonly titlesUnderWay: readonly string[];
  /** Of events that were acknowledged without an id. */
  readonly titlesTold: readonly string[];
  readonly holds: ReadonlyMap<string, Kept<'held' | 'booked' | null> & { readonly token?: string | undefined }>;
  readonly subscriptions: ReadonlyMap<string, Kept<string | null>>;
  /** The latest ones, those last that were told last. */
  readonly syncs: readonly (Fact & { readonly about: 'sync' })[];
  /** Ids of events whose creation the receiver was told. */
  readonly announced: ReadonlySet<string>;
  /** Number of acknowledged writes. */
  readonly acknowledged: number;
}

/** Tokens that are tried. */
const SYNCS = 4;

export function promisesOf(marks: readonly Mark[]): Promises {
  const done = marks.filter(({ is }) => is === 'done').flatMap(({ facts }) => facts);
  const last = new Map(marks.map((mark) => [mark.lane, mark]));
  const underWay = [...last.values()].filter(({ is }) => is === 'begun').flatMap(({ facts }) => facts);
  const valuesOf = <Value extends string | null>(about: ValueFact['about']) => {
    const ofKind = (facts: readonly Fact[]) => facts.filter((fact): fact is ValueFact => fact.about === about);
    const kept = new Map<string, Kept<Value> & { readonly token?: string }>();
    for (const { id, about: _, value, ...rest } of ofKind(done)) {
      if (id !== undefined) kept.set(id, { ...kept.get(id), ...rest, told: value as Value });
    }
    for (const { id = '', value } of ofKind(underWay)) {
      const found = kept.get(id);
      if (found !== undefined) kept.set(id, { ...found, underWay: value as Value });
    }
    return kept;
  };
  return {
    applicationId: done.find((fact) => fact.about === 'application')?.id,
    calendar: done.find((fact) => fact.about === 'calendar'),
    accounts: valuesOf('account'),
    events: valuesOf('event'),
    titlesUnderWay: titlesOf(underWay),
    titlesTold: titlesOf(done),
    holds: valuesOf('hold'),
    subscriptions: valuesOf('subscription'),
    syncs: done.filter((fact) => fact.about === 'sync').slice(-SYNCS),
    announced: new Set(
      done.flatMap((fact) =>
        fact.about === 'message' && fact.eventType === 'event.created' ? [fact.eventId ?? ''] : [],
      ),
    ),
    acknowledged: done.filter(({ about }) => about !== 'message' && about !== 'sync').length,
  };
}

/** Titles of events without an id. */
function titlesOf(facts: readonly Fact[]): readonly string[] {
  return facts.flatMap((fact) =>
    fact.about === 'event' && fact.id === undefined && fact.value !== null ? [fact.value] : [],
  );
}

import assert from 'node:assert/strict';
import {
  type CalendarRef,
  type EventChange,
  type EventPatch,
  type EventTarget,
  type NewEvent,
  type Provider,
  type ProviderCapabilities,
  ProviderError,
  type ProviderEvent,
  type ProviderFailureReason,
  type ProviderSession,
} from '../ports/index.ts';
import { occurrenceEnd, wallLength } from '../recurrence/index.ts';
import { randomHex, systemRandom } from '../runtime/index.ts';
import { formatInstant } from '../zones/index.ts';
import { type FeedPlace, type HeldEvents, holdEvents } from './held-events.ts';
import type { ConformanceTest } from './storage-world.ts';

export interface ProviderConformanceOptions {
  /** The runner's `test`, as vitest, node:test and others have it. */
  readonly test: ConformanceTest;
  /** Called once for each test, so that no test meets another one's events. */
  readonly createWorld: () => Promise<ProviderWorld>;
  /** How many generated events each test of them takes. @default 12 */
  readonly generatedEvents?: number;
  /** Where the generated events begin: one seed gives the same ones again. @default 1 */
  readonly seed?: number;
}

/** What a test of a provider works with: an account at the provider, or at something that stands in for it. */
export interface ProviderWorld extends FeedPlace {
  readonly provider: Provider;
  /** The account that owns `calendar`. */
  readonly session: ProviderSession;
  /** A calendar that the account may write to, without events in it. */
  readonly calendar: CalendarRef;
  /** Another account at the same provider, and the calendar that its invitations arrive in. Absent: attendees' sides are not tested. */
  readonly guest?: { readonly session: ProviderSession; readonly calendar: CalendarRef };
  /** Makes the feed's resume points invalid, as providers do now and then. Absent: that is not tested. */
  expireFeeds?(): Promise<void>;
  /** Resolves when what was written can be read. Absent: that is at once. */
  settle?(): Promise<void>;
  /** Removes what the tests have made. */
  close(): Promise<void>;
}

/** A world with what the tests do in it. */
export interface ProviderStage extends ProviderWorld {
  /** What events of `calendar` can hold. */
  readonly capabilities: ProviderCapabilities;
  settle(): Promise<void>;
  /** Creates it, at the times of MEETING unless it has its own, and resolves with the event, or the master of the series. */
  create(input: Partial<NewEvent>): Promise<ProviderEvent>;
  /** Applies a patch to an event or a series. */
  update(current: ProviderEvent, patch: EventPatch): Promise<ProviderEvent>;
  /** What `get` says of it, which must exist. */
  read(event: ProviderEvent): Promise<ProviderEvent>;
  /** Everything that a full pull shows. */
  pull(): Promise<HeldEvents>;
}

export const NINE = Date.UTC(2026, 2, 2, 9);
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** An hour on a Monday morning in London, which is in UTC then. */
export const MEETING: NewEvent = {
  title: 'Planning',
  start: { dateTime: '2026-03-02T09:00:00+00:00', timeZone: 'Europe/London' },
  end: { dateTime: '2026-03-02T10:00:00+00:00', timeZone: 'Europe/London' },
};

/** The same on five days. */
export const SERIES: NewEvent = { ...MEETING, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] };

/** Declares a test that runs in a world of its own. */
export function onStage(
  options: ProviderConformanceOptions,
  name: string,
  run: (stage: ProviderStage) => Promise<void>,
): void {
  options.test(name, async () => {
    const world = await options.createWorld();
    try {
      await run(stageOf(world));
    } finally {
      await world.close();
    }
  });
}

function stageOf(world: ProviderWorld): ProviderStage {
  const { provider, session, calendar } = world;
  const { start, end } = MEETING;
  const settle = async () => world.settle?.();
  const done = async (changes: readonly EventChange[]) => {
    await settle();
    return eventOf(changes);
  };
  return {
    ...world,
    capabilities: provider.capabilities(calendar),
    settle,
    create: async (input) =>
      done(await provider.events.create(session, calendar, { start, end, ...input }, { requestId: newRequestId() })),
    update: async (current, patch) =>
      done(await provider.events.update(session, calendar, targetOf(current), patch, {})),
    read: async ({ providerEventId }) => eventOf(await provider.events.get(session, calendar, providerEventId)),
    pull: async () => (await holdEvents(world, null)).held,
  };
}

/** The one event of an answer, or the master of its one series. */
export function eventOf(changes: readonly EventChange[]): ProviderEvent {
  const [change] = changes;
  if (changes.length === 1 && change?.kind === 'event') return change.event;
  if (changes.length === 1 && change?.kind === 'series') return change.master;
  throw new assert.AssertionError({ message: `one event was expected, not ${JSON.stringify(changes)}` });
}

/** The exceptions of the one series of an answer. */
export function exceptionsOf(changes: readonly EventChange[]): readonly ProviderEvent[] {
  const [change] = changes;
  if (changes.length === 1 && change?.kind === 'series') return change.exceptions;
  throw new assert.AssertionError({ message: `one series was expected, not ${JSON.stringify(changes)}` });
}

export function targetOf(current: ProviderEvent): EventTarget {
  return { kind: 'event', providerEventId: current.providerEventId, current };
}

/** A slot of a timed series that is no exception, as the engine computes it. */
export function slotOf(master: ProviderEvent, startMs: number): EventTarget {
  const { content } = master;
  assert.ok(content !== null && !content.isAllDay);
  const { timeZone } = content.start;
  const point = (atMs: number) => ({ dateTime: formatInstant(timeZone, atMs), timeZone });
  const lengthMs = wallLength(timeZone, Date.parse(content.start.dateTime), Date.parse(content.end.dateTime));
  const originalStart = { kind: 'instant', startMs } as const;
  const current: ProviderEvent = {
    ...master,
    providerEventId: '',
    providerTag: null,
    seriesId: master.providerEventId,
    originalStart,
    content: {
      ...content,
      recurrence: null,
      start: point(startMs),
      end: point(occurrenceEnd(timeZone, startMs, lengthMs)),
    },
  };
  return { kind: 'occurrence', seriesId: master.providerEventId, originalStart, current, master };
}

/** An exception of a series, as the engine has stored it. */
export function exceptionTarget(master: ProviderEvent, exception: ProviderEvent): EventTarget {
  assert.ok(exception.originalStart !== null);
  const { originalStart } = exception;
  return { kind: 'occurrence', seriesId: master.providerEventId, originalStart, current: exception, master };
}

/** The failure of a call that must fail for one of these reasons, naming this field where one is given. */
export async function refusal(
  call: Promise<unknown>,
  reasons: readonly ProviderFailureReason[],
  field?: string,
): Promise<ProviderError> {
  const error = await call.then(
    (result) =>
      assert.fail(`a refusal (${reasons.join(', ')}) was expected, not ${JSON.stringify(result).slice(0, 300)}`),
    (failure: unknown) => failure,
  );
  if (!ProviderError.isInstance(error)) throw error;
  assert.ok(reasons.includes(error.reason), `refused as ${error.reason} (${error.message}), not ${reasons.join(', ')}`);
  if (field !== undefined) assert.equal(error.field?.split(/[.[]/)[0], field, error.message);
  return error;
}

/** A request id that nobody has used. */
export function newRequestId(): string {
  return randomHex(systemRandom);
}

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
} from 'kalends/ports';
import { occurrenceEnd, wallLength } from 'kalends/recurrence';
import { randomHex, systemRandom } from 'kalends/runtime';
import { formatInstant } from 'kalends/zones';
import type { ConformanceTest } from '../storage/world.ts';
import { type FeedPlace, type HeldEvents, holdEvents } from './held-events.ts';

export interface ProviderConformanceOptions {
  /** The runner's `test`: that of vitest, node:test or any of the same shape. */
  readonly test: ConformanceTest;
  /** Called once for each test, so that tests do not see each other's events. */
  readonly createWorld: () => Promise<ProviderWorld>;
  /** Number of generated events of each generated test. @default 12 */
  readonly generatedEvents?: number;
  /** Seed of the first generated event. @default 1 */
  readonly seed?: number;
}

/** World of one test: an account at the provider or at a stand-in. */
export interface ProviderWorld extends FeedPlace {
  readonly provider: Provider;
  /** The account that owns `calendar`. */
  readonly session: ProviderSession;
  /** An empty calendar that the account may write to. */
  readonly calendar: CalendarRef;
  /** Another account at the same provider and the calendar of its invitations. Without it the guest's side is not tested. */
  readonly guest?: { readonly session: ProviderSession; readonly calendar: CalendarRef };
  /**
   * Attaches a file of this name to an event, a series or an instance, as a person does in the provider's own application.
   * Without it only events without attachments are tested.
   */
  attach?(providerEventId: string, name: string): Promise<void>;
  /** Invalidates the feed's resume points, as providers occasionally do. Without it that is not tested. */
  expireFeeds?(): Promise<void>;
  /**
   * Makes the provider send one object so that it cannot be read, wherever it sends it, until the returned function is
   * called. `corruptingFetch` does it for providers that speak JSON. Without it unreadable objects are not tested.
   */
  corrupt?(providerEventId: string): Promise<() => Promise<void>>;
  /** Resolves when earlier writes can be read. @default at once */
  settle?(): Promise<void>;
  /** Removes everything that the test created. */
  close(): Promise<void>;
}

/** A world with the operations of the tests. */
export interface ProviderStage extends ProviderWorld {
  /** Limits of the events of `calendar`. */
  readonly capabilities: ProviderCapabilities;
  settle(): Promise<void>;
  /** Creates an event, by default at the times of MEETING; resolves with the event or the series master. */
  create(input: Partial<NewEvent>): Promise<ProviderEvent>;
  /** Applies a patch to an event or a series. */
  update(current: ProviderEvent, patch: EventPatch): Promise<ProviderEvent>;
  /** Returns an existing event by `get`. */
  read(event: ProviderEvent): Promise<ProviderEvent>;
  /** Returns the records of a full pull. */
  pull(): Promise<HeldEvents>;
}

export const NINE = Date.UTC(2026, 2, 2, 9);
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** An hour on a Monday morning in London, at UTC+0. */
export const MEETING: NewEvent = {
  title: 'Planning',
  start: { dateTime: '2026-03-02T09:00:00+00:00', timeZone: 'Europe/London' },
  end: { dateTime: '2026-03-02T10:00:00+00:00', timeZone: 'Europe/London' },
};

/** MEETING on five days. */
export const SERIES: NewEvent = { ...MEETING, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] };

/** Thrown by a case that does not apply to its world. */
class NotApplying extends Error {}

/** Leaves a case out, unless it has what it needs of the world or the capabilities. */
export function requirePart(part: unknown, name: string): asserts part {
  if (part === undefined || part === false) throw new NotApplying(`needs ${name}`);
}

/** Declares a test that runs in a world of its own. A case that is left out is reported as skipped, where the runner can. */
export function onStage(
  options: ProviderConformanceOptions,
  name: string,
  run: (stage: ProviderStage) => Promise<void>,
): void {
  // Without a parameter of its own: some runners take one for a callback that they wait for.
  options.test(name, async (...[context]) => {
    const world = await options.createWorld();
    let leftOut: NotApplying | undefined;
    try {
      await run(stageOf(world));
    } catch (error) {
      if (!(error instanceof NotApplying)) throw error;
      leftOut = error;
    } finally {
      await world.close();
    }
    if (leftOut !== undefined) context?.skip?.(leftOut.message);
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

/** Returns the only event of an answer, or the master of its only series. */
export function eventOf(changes: readonly EventChange[]): ProviderEvent {
  const [change] = changes;
  if (changes.length === 1 && change?.kind === 'event') return change.event;
  if (changes.length === 1 && change?.kind === 'series') return change.master;
  throw new assert.AssertionError({ message: `one event was expected, not ${JSON.stringify(changes)}` });
}

/** Returns the exceptions of the only series of an answer. */
export function exceptionsOf(changes: readonly EventChange[]): readonly ProviderEvent[] {
  const [change] = changes;
  if (changes.length === 1 && change?.kind === 'series') return change.exceptions;
  throw new assert.AssertionError({ message: `one series was expected, not ${JSON.stringify(changes)}` });
}

export function targetOf(current: ProviderEvent): EventTarget {
  return { kind: 'event', providerEventId: current.providerEventId, current };
}

/** Returns a slot of a timed series without an exception, as the engine computes it. */
export function slotOf(master: ProviderEvent, startMs: number): EventTarget {
  const { content } = master;
  assert.ok(content !== null && !content.isAllDay);
  const { timeZone } = content.start;
  const point = (atMs: number) => ({ dateTime: formatInstant(timeZone, atMs), timeZone });
  const lengthMs = wallLength(timeZone, Date.parse(content.start.dateTime), Date.parse(content.end.dateTime));
  const recurrenceId = { kind: 'instant', startMs } as const;
  const current: ProviderEvent = {
    ...master,
    providerEventId: '',
    providerTag: null,
    seriesId: master.providerEventId,
    recurrenceId,
    content: {
      ...content,
      recurrence: null,
      start: point(startMs),
      end: point(occurrenceEnd(timeZone, startMs, lengthMs)),
    },
  };
  return { kind: 'occurrence', seriesId: master.providerEventId, recurrenceId, current, master };
}

/** Returns an exception of a series as the engine stores it. */
export function exceptionTarget(master: ProviderEvent, exception: ProviderEvent): EventTarget {
  assert.ok(exception.recurrenceId !== null);
  const { recurrenceId } = exception;
  return { kind: 'occurrence', seriesId: master.providerEventId, recurrenceId, current: exception, master };
}

/**
 * Returns the error of a call that must fail with one of these reasons and, if given, this field. A failure names the field and `asked`, the
 * fields of the call.
 */
export async function refusal(
  call: Promise<unknown>,
  reasons: readonly ProviderFailureReason[],
  field?: string,
  asked?: object,
): Promise<ProviderError> {
  const shown = asked === undefined ? '' : ` in ${JSON.stringify(asked).slice(0, 150)}`;
  const about = field === undefined ? '' : `${field}${shown}: `;
  const wanted = reasons.join(', ');
  const error = await call.then(
    (result) => assert.fail(`${about}a refusal (${wanted}) was expected, not ${JSON.stringify(result).slice(0, 300)}`),
    (failure: unknown) => failure,
  );
  if (!ProviderError.isInstance(error)) throw error;
  assert.ok(reasons.includes(error.reason), `${about}refused as ${error.reason} (${error.message}), not ${wanted}`);
  if (field !== undefined) {
    const named = error.field?.split(/[.[]/)[0];
    assert.equal(named, field, `${about}refused with the field ${named} (${error.message})`);
  }
  return error;
}

/** Returns an unused request id. */
export function newRequestId(): string {
  return randomHex(systemRandom);
}

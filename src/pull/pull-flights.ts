import type { ConnectedAccount } from '../accounts/index.ts';
import { pullLeaseName } from '../mirror/index.ts';
import { type Clock, type CollectionKey, type Logger, ProviderError, type ScheduleState } from '../ports/index.ts';
import { describeError, withJoinedSignals } from '../runtime/index.ts';
import { retryAfterOf } from './poll-plan.ts';
import type { PullOutcome } from './pull-context.ts';
import type { PullRunner, RunMode } from './pull-runner.ts';
import { isTakeover } from './tell-pull.ts';

/** Minimum time between a failed pull and the next one that a read starts. */
const RETRY_MS = 5_000;

/** A pull in flight. */
export interface PullFlight {
  /** Position in the order of starts, ascending. */
  readonly sequence: number;
  /** No caller started it: it may read only the objects that pushes have named. */
  readonly isBackground: boolean;
  /** Resolves with the pull's outcome, undefined when none was needed; rejects with its error. */
  readonly done: Promise<PullOutcome | undefined>;
  /** Ends the pull, which rejects and is recorded as failed. Without effect on one that has ended. */
  giveUp(reason: ProviderError): void;
}

export interface PullFlightsDeps {
  readonly runner: PullRunner;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Pulls of this process, single-flight by collection. */
export class PullFlights {
  readonly #deps: PullFlightsDeps;
  readonly #signal: AbortSignal;
  readonly #flights = new Map<string, PullFlight>();
  readonly #failures = new Map<string, { readonly retryAt: number; readonly error: unknown }>();
  #started = 0;

  /** @param signal ends every flight */
  constructor(deps: PullFlightsDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  /** Sequence number of the latest flight. */
  get latest(): number {
    return this.#started;
  }

  /** Joins the collection's flight, or starts one; for `isEnough` see `PullRunner.run`. */
  join(
    account: ConnectedAccount,
    key: CollectionKey,
    isEnough: (schedule: ScheduleState) => boolean,
    isBackground = false,
  ): PullFlight {
    const running = this.#flights.get(pullLeaseName(key));
    if (running !== undefined) return running;
    const ending = new AbortController();
    const flight = {
      sequence: ++this.#started,
      isBackground,
      done: withJoinedSignals([this.#signal, ending.signal], (signal) =>
        this.#run(account, key, isEnough, { signal, isBackground }),
      ),
      giveUp: (reason: ProviderError) => ending.abort(reason),
    };
    this.#flights.set(pullLeaseName(key), flight);
    // A flight may have no waiter left: avoid an unhandled rejection. The runner has logged and rescheduled the failure.
    flight.done.catch((error) => {
      this.#deps.logger.debug('a pull ended with an error', { ...key, error: describeError(error) });
    });
    return flight;
  }

  /** Returns the failure that a new pull of the collection would most likely repeat, undefined when it may be retried. */
  findFailure(key: CollectionKey): { readonly error: unknown } | undefined {
    const failure = this.#failures.get(pullLeaseName(key));
    return failure !== undefined && this.#deps.clock.now() < failure.retryAt ? failure : undefined;
  }

  /** Resolves when no flight is left. */
  async settled(): Promise<void> {
    while (this.#flights.size > 0) await Promise.allSettled([...this.#flights.values()].map(({ done }) => done));
  }

  async #run(
    account: ConnectedAccount,
    key: CollectionKey,
    isEnough: (schedule: ScheduleState) => boolean,
    mode: RunMode,
  ): Promise<PullOutcome | undefined> {
    const name = pullLeaseName(key);
    try {
      const outcome = await this.#deps.runner.run(account, key, isEnough, mode);
      if (outcome?.isUnasked !== true) this.#failures.delete(name);
      return outcome;
    } catch (error) {
      // A dead grant expires the account: the next caller has reconnected it and need not wait.
      const isDeadGrant = ProviderError.isInstance(error) && error.reason === 'invalid-grant';
      if (!isDeadGrant && !isTakeover(error)) this.#noteFailure(name, error);
      throw error;
    } finally {
      this.#flights.delete(name);
    }
  }

  #noteFailure(name: string, error: unknown): void {
    const now = this.#deps.clock.now();
    // Evict expired ones, oldest first: their collections may never be read again.
    for (const [old, { retryAt }] of this.#failures) {
      if (retryAt > now) break;
      this.#failures.delete(old);
    }
    this.#failures.delete(name);
    this.#failures.set(name, { retryAt: now + Math.max(RETRY_MS, retryAfterOf(error)), error });
  }
}

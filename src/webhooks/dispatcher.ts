import { type ActivityFeed, NO_ACTIVITY } from '../activity/index.ts';
import { createLeaseKeeper, LEASE_MS } from '../leases/index.ts';
import {
  type Acknowledgement,
  type Clock,
  type DeliveryClaim,
  type DeliveryFence,
  type Logger,
  NO_TELEMETRY,
  type Random,
  type Storage,
  type Telemetry,
} from '../ports/index.ts';
import { createOrderedId, describeError, nextTurn, type WakeUp } from '../runtime/index.ts';
import { createDeliveryCapacity } from './delivery-capacity.ts';
import { messageOf, type ShowMessage } from './message-body.ts';
import { ON_MESSAGE_HOST } from './on-message.ts';
import { decideOutcome } from './retry-schedule.ts';
import type { AttemptResult, SendMessage } from './send-message.ts';
import { errorClassOf } from './target-operations.ts';

/** Messages that another process enqueued are found after this time at the latest; the storage tells of them mostly. */
const LONGEST_SLEEP_MS = 30_000;
/** The same where the storage tells nothing. */
const LONGEST_UNTOLD_SLEEP_MS = 5_000;
const DEFAULT_CONCURRENCY = 1_024;
/** Maximum of acknowledgements, and of claims, in one transaction. */
const BATCH = 256;

/** Delivers the messages of the outbox. */
export interface Dispatcher {
  /**
   * Delivers until the signal aborts, then resolves when the attempts in flight have been recorded. Called again after an
   * error, it continues with the attempts in flight.
   */
  run(signal: AbortSignal): Promise<void>;
}

interface DispatcherDependencies {
  readonly storage: Pick<Storage, 'outbox' | 'changes'>;
  readonly post: SendMessage;
  /** @default as the outbox has them */
  readonly show?: ShowMessage;
  /** Delivers in this process; without it, messages for `onMessage` are left to other processes. */
  readonly call?: SendMessage | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Notified when a message was enqueued in this process. */
  readonly wakeUp: WakeUp;
  /** @default none */
  readonly telemetry?: Telemetry;
  /** @default tells nothing */
  readonly activity?: Pick<ActivityFeed, 'tell'>;
  /** Maximum number of concurrent attempts. @default 1024 */
  readonly concurrency?: number;
  /** Lease of a claim, for tests with a fast clock. @default LEASE_MS */
  readonly leaseMs?: number;
}

/** A finished attempt that has not been stored yet. */
interface Finished {
  readonly acknowledgement: Acknowledgement;
  /** Called once it is stored. */
  stored(): void;
}

export function createDispatcher(dependencies: DispatcherDependencies): Dispatcher {
  const { storage, clock, logger, wakeUp, activity = NO_ACTIVITY, leaseMs = LEASE_MS } = dependencies;
  const capacity = createDeliveryCapacity(dependencies.concurrency ?? DEFAULT_CONCURRENCY, {
    isOpen: (host) => host !== ON_MESSAGE_HOST || dependencies.call !== undefined,
  });
  const deliver = createDelivery(dependencies);
  const leases = createLeaseKeeper((held: readonly DeliveryFence[]) => storage.outbox.renew(held, leaseMs), {
    clock,
    logger,
    leaseMs,
  });

  const longestSleepMs = storage.changes === undefined ? LONGEST_UNTOLD_SLEEP_MS : LONGEST_SLEEP_MS;
  const sleepMs = async (): Promise<number> => {
    const dueAt = capacity.left > 0 ? await storage.outbox.nextDueAt(capacity) : null;
    // At least 20 ms: a due row that another process holds must not make this loop spin.
    return dueAt === null ? longestSleepMs : Math.min(longestSleepMs, Math.max(20, dueAt - clock.now()));
  };

  /** Attempts without an answer so far. */
  const inFlight = new Set<Promise<void>>();
  const finished: Finished[] = [];

  /** Resolves undefined when the message could not be sent, as while its secret cannot be opened: that is no attempt. */
  const attempt = async (claim: DeliveryClaim): Promise<Acknowledgement | undefined> => {
    const { target, message, host, epoch } = claim;
    let result: AttemptResult | undefined;
    capacity.begin(target.applicationId, host);
    try {
      const delivery = await deliver(claim);
      result = delivery.result;
      return delivery.acknowledgement;
    } catch (error) {
      logger.error('webhook not sent', { targetId: target.id, messageId: message.id, error: describeError(error) });
      await storage.outbox.giveBack({ targetId: target.id, messageId: message.id, epoch }, leaseMs);
      return undefined;
    } finally {
      capacity.end(target.applicationId, host, result);
    }
  };

  const start = (claim: DeliveryClaim) => {
    const answered = attempt(claim);
    const recorded = async () => {
      const acknowledgement = await answered;
      if (acknowledgement === undefined) return wakeUp.notify();
      await new Promise<void>((resolve) => {
        finished.push({ acknowledgement, stored: resolve });
        wakeUp.notify();
      });
    };
    // Hold the lease until the attempt is stored: another process that claims the message sends it again.
    leases.during({ targetId: claim.target.id, epoch: claim.epoch }, recorded).catch((error) => {
      // The lease expires and the message is sent again under the same id.
      logger.error('webhook claim not given back', { error: describeError(error) });
      wakeUp.notify();
    });
    const flight = answered
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => inFlight.delete(flight));
    inFlight.add(flight);
  };

  /** Stores finished attempts and claims new ones in one transaction. If it fails, the next one stores them. */
  const storeAndClaim = async (limit: number): Promise<readonly DeliveryClaim[]> => {
    const batch = finished.splice(0, BATCH);
    try {
      const acknowledgements = batch.map(({ acknowledgement }) => acknowledgement);
      const { claims } = await storage.outbox.acknowledgeAndClaim(acknowledgements, { limit, leaseMs, capacity });
      for (const { stored } of batch) stored();
      for (const acknowledgement of acknowledgements) activity.tell(attemptedOf(acknowledgement));
      return claims;
    } catch (error) {
      finished.unshift(...batch);
      throw error;
    }
  };

  /** Stores the attempts in flight as they finish, without claiming more. */
  const storeRemaining = async (): Promise<void> => {
    await Promise.all(inFlight);
    // The last attempts join the list within this turn.
    await nextTurn();
    while (finished.length > 0) await storeAndClaim(0);
  };

  return {
    async run(signal) {
      try {
        while (!signal.aborted) {
          const limit = Math.min(BATCH, capacity.left);
          const claims = await storeAndClaim(limit);
          claims.forEach(start);
          // Lets the answers that have arrived join the next transaction.
          await nextTurn();
          // Fewer claims than requested: no further message can begin now, so do not ask again at once.
          if (finished.length === 0 && claims.length < Math.max(1, limit)) await wakeUp.wait(await sleepMs(), signal);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      await storeRemaining().catch((error) => {
        logger.error('webhook attempts could not be recorded', { error: describeError(error) });
        // Their leases expire, and their messages are sent again.
        for (const { stored } of finished.splice(0)) stored();
      });
    },
  };
}

/** Returns the activity of a recorded attempt. */
function attemptedOf({ applicationId, targetId, messageId, attempt, outcome }: Acknowledgement) {
  const { eventType, status, latencyMs } = attempt;
  return {
    type: 'delivery.attempted',
    applicationId,
    receiverId: targetId,
    messageId,
    eventType,
    status,
    errorClass: errorClassOf(attempt),
    latencyMs,
    outcome: outcome.kind,
    nextAttemptAt: outcome.kind === 'retry' ? new Date(outcome.at).toISOString() : null,
  } as const;
}

interface Delivery {
  readonly result: AttemptResult;
  readonly acknowledgement: Acknowledgement;
}

/** Creates the function that sends a claimed message. The caller stores the outcome. */
function createDelivery(dependencies: DispatcherDependencies) {
  const { post, call, clock, random, logger, telemetry = NO_TELEMETRY } = dependencies;
  const { show = ({ message }) => messageOf(message) } = dependencies;
  let attempted = 0;
  return async (claim: DeliveryClaim): Promise<Delivery> => {
    const { target, message, epoch } = claim;
    const shown = await show(claim);
    const at = clock.now();
    const send = call !== undefined && claim.host === ON_MESSAGE_HOST ? call : post;
    const result = await send(claim, at, shown);
    const { status, failure, latencyMs, excerpt } = result;
    const { attempts } = message;
    const { eventType } = shown;
    const outcome = decideOutcome({ result, attempts, failingSince: target.failingSince, now: clock.now() }, random);
    const { applicationId, id: targetId } = target;
    if (outcome.kind !== 'delivered') {
      const fields = { targetId, messageId: message.id, status, failure, outcome: outcome.kind };
      logger.warn('webhook not delivered', fields);
      if (outcome.kind !== 'retry') telemetry.count('kalends_messages_given_up_total', { outcome: outcome.kind });
    }
    // Attempts of one time are listed by their ids.
    const id = createOrderedId(random, 'att', attempted++);
    const attempt = { id, eventType, at, status, failure, latencyMs, excerpt };
    return { result, acknowledgement: { applicationId, targetId, messageId: message.id, epoch, attempt, outcome } };
  };
}

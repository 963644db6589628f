import type {
  Acknowledgement,
  Clock,
  DeliveryClaim,
  DeliveryFence,
  Logger,
  OutboundResult,
  OutboundSender,
  Random,
  Sealer,
  Storage,
} from '../ports/index.ts';
import { createId, createLeaseKeeper, describeError, LEASE_MS, nextTurn, type WakeUp } from '../runtime/index.ts';
import { createDeliveryRoom } from './delivery-room.ts';
import { messageBody } from './message-body.ts';
import { decideOutcome } from './retry-schedule.ts';
import { signatureHeaders } from './signature.ts';
import { createSecretReader } from './target-secret.ts';

/** Messages that other processes enqueue are seen at the latest after this. */
const LONGEST_SLEEP_MS = 30_000;
const DEFAULT_CONCURRENCY = 1_024;
/** Acknowledged, and claimed, in one transaction. */
const MOVED_AT_ONCE = 256;

/** Delivers what the outbox holds. */
export interface Dispatcher {
  /**
   * Works until the signal aborts; then resolves when the attempts in flight have been recorded. Run again after an error
   * it goes on with what was in flight.
   */
  run(signal: AbortSignal): Promise<void>;
}

interface DispatcherDependencies {
  readonly storage: Pick<Storage, 'outbox'>;
  readonly sealer: Sealer;
  readonly sender: OutboundSender;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Notified when a message was enqueued in this process. */
  readonly wakeUp: WakeUp;
  readonly timeoutMs: number;
  /** Attempts at the same time. @default 1024 */
  readonly concurrency?: number;
  /** For clocks that run fast. @default LEASE_MS */
  readonly leaseMs?: number;
}

/** The end of a delivery that has not been stored yet. */
interface End {
  readonly acknowledgement: Acknowledgement;
  /** Called when it has been. */
  stored(): void;
}

export function createDispatcher(dependencies: DispatcherDependencies): Dispatcher {
  const { storage, clock, logger, wakeUp, leaseMs = LEASE_MS } = dependencies;
  const room = createDeliveryRoom(dependencies.concurrency ?? DEFAULT_CONCURRENCY);
  const deliver = createDelivery(dependencies);
  const leases = createLeaseKeeper((held: readonly DeliveryFence[]) => storage.outbox.renew(held, leaseMs), {
    clock,
    logger,
    leaseMs,
  });

  const sleepMs = async (): Promise<number> => {
    const dueAt = room.left > 0 ? await storage.outbox.nextDueAt(room) : null;
    // At least a moment: a row that is due but held by another process must not make this loop spin.
    return dueAt === null ? LONGEST_SLEEP_MS : Math.min(LONGEST_SLEEP_MS, Math.max(20, dueAt - clock.now()));
  };

  /** Attempts whose answer has not come yet. */
  const inFlight = new Set<Promise<void>>();
  const ended: End[] = [];

  const attempt = async (claim: DeliveryClaim): Promise<Acknowledgement> => {
    const { applicationId } = claim.target;
    let result: OutboundResult | undefined;
    room.begin(applicationId, claim.host);
    try {
      const delivery = await deliver(claim);
      result = delivery.result;
      return delivery.acknowledgement;
    } finally {
      room.end(applicationId, claim.host, result);
    }
  };

  const start = (claim: DeliveryClaim) => {
    const answered = attempt(claim);
    const recorded = async () => {
      const acknowledgement = await answered;
      await new Promise<void>((resolve) => {
        ended.push({ acknowledgement, stored: resolve });
        wakeUp.notify();
      });
    };
    // An answer that waits to be stored is held too: another process that claimed the message would send it again.
    leases.during({ targetId: claim.target.id, epoch: claim.epoch }, recorded).catch((error) => {
      // The lease runs out and the message is sent again, under the same id.
      logger.error('webhook attempt failed', { error: describeError(error) });
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

  /** One transaction for all that has ended and all that can begin. What could not be stored waits for the next one. */
  const turnOver = async (limit: number): Promise<readonly DeliveryClaim[]> => {
    const ends = ended.splice(0, MOVED_AT_ONCE);
    try {
      const acknowledgements = ends.map(({ acknowledgement }) => acknowledgement);
      const claims = await storage.outbox.turnOver(acknowledgements, { limit, leaseMs, room });
      for (const { stored } of ends) stored();
      return claims;
    } catch (error) {
      ended.unshift(...ends);
      throw error;
    }
  };

  /** Stores the ends of what is in flight, and begins nothing. */
  const windUp = async (): Promise<void> => {
    await Promise.all(inFlight);
    // The last answers are on their way into the list.
    await nextTurn();
    while (ended.length > 0) await turnOver(0);
  };

  return {
    async run(signal) {
      try {
        while (!signal.aborted) {
          const limit = Math.min(MOVED_AT_ONCE, room.left);
          const claims = await turnOver(limit);
          claims.forEach(start);
          // All answers that have arrived by now are read within this turn.
          await nextTurn();
          // Fewer than were asked for: no more can begin now, and asking again would be a transaction for nothing.
          if (ended.length === 0 && claims.length < Math.max(1, limit)) await wakeUp.wait(await sleepMs(), signal);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      await windUp().catch((error) => {
        logger.error('webhook attempts could not be recorded', { error: describeError(error) });
        // Their leases run out.
        for (const { stored } of ended.splice(0)) stored();
      });
    },
  };
}

interface Delivery {
  readonly result: OutboundResult;
  readonly acknowledgement: Acknowledgement;
}

/** Signs and POSTs; what came of it remains to be stored. */
function createDelivery({ sealer, sender, clock, random, logger, timeoutMs }: DispatcherDependencies) {
  const secrets = createSecretReader(sealer);
  return async ({ target, message, epoch }: DeliveryClaim): Promise<Delivery> => {
    const body = messageBody(message);
    const at = clock.now();
    const headers = signatureHeaders(await secrets.openAll(target, at), message.id, at, body);
    const result = await sender.post({ url: target.url, headers, body, timeoutMs });
    const { status, failure, latencyMs, excerpt } = result;
    const { attempts, eventType } = message;
    const outcome = decideOutcome({ result, attempts, failingSince: target.failingSince, now: clock.now() }, random);
    const { applicationId, id: targetId } = target;
    if (outcome.kind !== 'delivered') {
      const fields = { targetId, messageId: message.id, status, failure, outcome: outcome.kind };
      logger.warn('webhook not delivered', fields);
    }
    const attempt = { id: createId(random, 'att'), eventType, at, status, failure, latencyMs, excerpt };
    return { result, acknowledgement: { applicationId, targetId, messageId: message.id, epoch, attempt, outcome } };
  };
}

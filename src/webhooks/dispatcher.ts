import type { CalendarMessage } from '../model/index.ts';
import type {
  Clock,
  DeliveryClaim,
  Logger,
  MessageRow,
  OutboundSender,
  Random,
  Sealer,
  Storage,
} from '../ports/index.ts';
import { createId, describeError, type WakeUp } from '../runtime/index.ts';
import { decideOutcome } from './retry-schedule.ts';
import { signatureHeaders } from './signature.ts';
import { openSecret } from './subscription-secret.ts';

/** Messages that other processes enqueue are seen at the latest after this. */
const LONGEST_SLEEP_MS = 30_000;
/** What signing and storing may take beyond the POST itself. */
const LEASE_MARGIN_MS = 30_000;
const DEFAULT_CONCURRENCY = 64;

/** Delivers what the outbox holds. */
export interface Dispatcher {
  /** Works until the signal aborts; then resolves when the attempts in flight have been recorded. */
  run(signal: AbortSignal): Promise<void>;
}

export function createDispatcher(dependencies: {
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly sender: OutboundSender;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Notified when a message was enqueued in this process. */
  readonly wakeUp: WakeUp;
  readonly timeoutMs: number;
  /** Attempts at the same time. @default 64 */
  readonly concurrency?: number;
}): Dispatcher {
  const { storage, sealer, sender, clock, random, logger, wakeUp, timeoutMs } = dependencies;
  const concurrency = dependencies.concurrency ?? DEFAULT_CONCURRENCY;

  /** Signs, POSTs and records one attempt. */
  const deliver = async ({ subscription, message, epoch }: DeliveryClaim): Promise<void> => {
    const body = messageBody(message);
    const secret = await openSecret(sealer, subscription);
    const at = clock.now();
    const result = await sender.post({
      url: subscription.url,
      headers: signatureHeaders(secret, message.id, at, body),
      body,
      timeoutMs,
    });
    const now = clock.now();
    const { attempts } = message;
    const outcome = decideOutcome({ result, attempts, failingSince: subscription.failingSince, now }, random);
    const { applicationId, id: subscriptionId } = subscription;
    await storage.outbox.acknowledge(
      { applicationId, subscriptionId, messageId: message.id, epoch },
      {
        id: createId(random, 'att'),
        messageId: message.id,
        at,
        status: result.status,
        failure: result.failure,
        latencyMs: result.latencyMs,
        excerpt: result.excerpt,
      },
      outcome,
    );
    if (outcome.kind !== 'delivered') {
      const { status, failure } = result;
      logger.warn('webhook not delivered', {
        subscriptionId,
        messageId: message.id,
        status,
        failure,
        outcome: outcome.kind,
      });
    }
  };

  return {
    async run(signal) {
      const inFlight = new Set<Promise<void>>();
      const start = (claim: DeliveryClaim) => {
        const attempt = deliver(claim)
          // The claim's lease runs out and the message is sent again, under the same id.
          .catch((error) => logger.error('webhook attempt failed', { error: describeError(error) }))
          .finally(() => {
            inFlight.delete(attempt);
            wakeUp.notify();
          });
        inFlight.add(attempt);
      };
      try {
        while (!signal.aborted) {
          const room = concurrency - inFlight.size;
          const claims =
            room > 0 ? await storage.outbox.claim({ limit: room, leaseMs: timeoutMs + LEASE_MARGIN_MS }) : [];
          claims.forEach(start);
          if (claims.length === 0) await wakeUp.wait(await sleepMs(room > 0), signal);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        await Promise.all(inFlight);
      }
    },
  };

  async function sleepMs(hasRoom: boolean): Promise<number> {
    const dueAt = hasRoom ? await storage.outbox.nextDueAt() : null;
    // At least a moment: a row that is due but held by another process must not make this loop spin.
    return dueAt === null ? LONGEST_SLEEP_MS : Math.min(LONGEST_SLEEP_MS, Math.max(20, dueAt - clock.now()));
  }
}

/** Exactly eventType and timestamp: spec §6.2. */
function messageBody(message: MessageRow): string {
  const body: CalendarMessage = {
    eventType: message.eventType,
    timestamp: new Date(message.timestamp).toISOString(),
  };
  return JSON.stringify(body);
}

import { type AuditTrail, actorOf } from '../audit/index.ts';
import type { Caller, Page } from '../engine-interface.ts';
import {
  type DeliveryErrorClass,
  deliveryListQuery,
  PAGE_SIZE,
  pageSizeOf,
  parseInput,
  recoverBody,
  redeliverBody,
  type SecretRotated,
  type WebhookDelivery,
} from '../model/index.ts';
import {
  type AttemptRow,
  type Clock,
  KalendsError,
  type Random,
  type Sealer,
  type Storage,
  type TargetRow,
  type TargetStore,
} from '../ports/index.ts';
import { createPageTokens, type TokenSealer } from '../runtime/index.ts';
import { loggedBody } from './message-body.ts';
import { isDelivered } from './retry-schedule.ts';
import { createEndpointSecret } from './signature.ts';
import { sealNextSecret } from './target-secret.ts';

/** Time after a rotation in which the previous secret signs too. */
const PREVIOUS_SECRET_MS = 86_400_000;

/** An endpoint has no account. */
type Receiver = TargetRow & { readonly accountId?: string | null };

/** Operations that subscriptions and endpoints share. The caller has checked the target's owner. */
export interface TargetOperations {
  listDeliveries(target: Receiver, query?: unknown): Promise<Page<WebhookDelivery>>;
  /** @throws KalendsError NotFound for an unknown message, Conflict when the target is disabled */
  redeliver(target: TargetRow, body: unknown): Promise<void>;
  /** @throws KalendsError Conflict when the target is disabled */
  recover(target: TargetRow, body: unknown): Promise<{ readonly recovered: number }>;
  /** Enables a disabled target, with an entry in the audit log; `TargetStore.enable` says what becomes of its messages. */
  enable(caller: Caller, target: TargetRow, message: Parameters<TargetStore['enable']>[2]['message']): Promise<void>;
  /** @throws KalendsError Conflict when another rotation came first */
  rotateSecret(caller: Caller, target: TargetRow): Promise<SecretRotated>;
}

export function createTargetOperations(dependencies: {
  readonly storage: Pick<Storage, 'outbox' | 'targets'>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: Random;
  /** Sealer of purpose `page:deliveries`. */
  readonly deliveryPageSealer: TokenSealer;
  /** Called after a commit that enqueued messages. */
  readonly enqueued: () => void;
  readonly audit: AuditTrail;
}): TargetOperations {
  const { storage, sealer, clock, random, enqueued, audit } = dependencies;
  const pageTokens = createPageTokens<Record<string, never>>(dependencies.deliveryPageSealer);

  return {
    async listDeliveries(target, query = {}) {
      const parsed = parseInput(deliveryListQuery, query);
      const limit = pageSizeOf(parsed, PAGE_SIZE.deliveries);
      const scope = `${target.applicationId}/${target.id}`;
      const { after } = pageTokens.resolve(scope, parsed.pageToken, {});
      const rows = await storage.outbox.listAttempts(target.applicationId, target.id, {
        ...(after === undefined ? {} : { after: { at: after.createdAt, id: after.id } }),
        limit: limit + 1,
      });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const hasMore = rows.length > limit && last !== undefined;
      return {
        data: page.map((row) => viewDelivery(target, row)),
        nextPageToken: hasMore ? pageTokens.seal(scope, {}, { createdAt: last.at, id: last.id }) : null,
      };
    },

    async redeliver(target, body) {
      const { messageId } = parseInput(redeliverBody, body);
      const answer = await storage.outbox.redeliver(target.applicationId, target.id, messageId);
      if (answer === 'unknown') throw new KalendsError('NotFound', 'There is no such message, or it has been purged.');
      if (answer === 'disabled') throw disabled();
      enqueued();
    },

    async recover(target, body) {
      const since = Date.parse(parseInput(recoverBody, body).since);
      const recovered = await storage.outbox.recover(target.applicationId, target.id, since);
      if (recovered === 'unknown') throw new KalendsError('NotFound', 'The receiver has been deleted.');
      if (recovered === 'disabled') throw disabled();
      enqueued();
      return { recovered };
    },

    async enable(caller, { applicationId, id }, message) {
      const entry = audit(actorOf(caller), { applicationId, action: 'receiver.enabled', target: id });
      if (await storage.targets.enable(applicationId, id, { at: clock.now(), message }, entry)) enqueued();
    },

    async rotateSecret(caller, target) {
      const endpointSecret = createEndpointSecret(random);
      const at = clock.now();
      const previousUntil = at + PREVIOUS_SECRET_MS;
      const isRotated = await storage.targets.rotateSecret(
        target.applicationId,
        target.id,
        {
          expectedSealed: target.sealedSecret,
          ...(await sealNextSecret(sealer, target, endpointSecret, at)),
          previousUntil,
          at,
        },
        audit(actorOf(caller), {
          applicationId: target.applicationId,
          action: 'webhookSecret.rotated',
          target: target.id,
        }),
      );
      if (!isRotated) throw new KalendsError('Conflict', 'Another request has just rotated the secret.');
      return { endpointSecret, previousSecretExpiresAt: new Date(previousUntil).toISOString() };
    },
  };
}

const disabled = () => new KalendsError('Conflict', 'The receiver is disabled. Enable it first.');

function viewDelivery(target: Receiver, row: AttemptRow): WebhookDelivery {
  const dueAt = row.sent?.dueAt ?? null;
  return {
    id: row.id,
    messageId: row.messageId,
    eventType: row.eventType,
    attemptedAt: new Date(row.at).toISOString(),
    status: row.status,
    errorClass: errorClassOf(row),
    latencyMs: row.latencyMs,
    request: row.sent === null ? null : loggedBody(target.accountId ?? null, { eventType: row.eventType, ...row.sent }),
    response: row.excerpt,
    outcome: row.outcome,
    nextAttemptAt: dueAt === null ? null : new Date(dueAt).toISOString(),
  };
}

/** Returns the class of a failed attempt: the transport failure or the kind of status. Null for a success. */
export function errorClassOf(attempt: Pick<AttemptRow, 'status' | 'failure'>): DeliveryErrorClass | null {
  if (isDelivered(attempt)) return null;
  const { status, failure } = attempt;
  // Each failure that is written is an error class.
  if (status === null) return failure as DeliveryErrorClass;
  if (status >= 300 && status < 400) return 'redirect';
  return status >= 400 && status < 500 ? 'client-error' : 'server-error';
}

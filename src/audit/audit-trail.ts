import type { Actor, Caller } from '../engine-interface.ts';
import type { AuditRow, Clock, Random } from '../ports/index.ts';
import { createOrderedId } from '../runtime/index.ts';

/** The application that embeds the engine, when it names no one else. */
export const EMBEDDED: Actor = { type: 'embedded' };

/** Kalends itself. */
export const SYSTEM: Actor = { type: 'system' };

/** A person in the authorization flow. */
export const FLOW: Actor = { type: 'flow' };

/** An act that an entry tells of. */
export interface AuditedAct {
  readonly applicationId: string | null;
  /** Such as `apiKey.revoked`. */
  readonly action: string;
  /** Id of the object. */
  readonly target: string;
  /** Names of the fields that were given. @default none */
  readonly changed?: readonly string[];
}

/** Creates entries of the audit log; the store method that makes the change writes them. */
export type AuditTrail = (actor: Actor, act: AuditedAct) => AuditRow;

export function createAuditTrail({ clock, random }: { readonly clock: Clock; readonly random: Random }): AuditTrail {
  let last = Number.NaN;
  let number = 0;
  return ({ type, id = null, address = null }, { applicationId, action, target, changed = [] }) => {
    const at = clock.now();
    // Entries of one time are listed by their ids.
    number = at === last ? number + 1 : 0;
    last = at;
    return {
      id: createOrderedId(random, 'aud', number),
      at,
      applicationId,
      actorType: type,
      actorId: id,
      address,
      action,
      target,
      changed,
    };
  };
}

/** Returns who is behind a call of `/v1`. */
export function actorOf({ actor, apiKeyId, address = null }: Caller): Actor {
  if (actor !== undefined) return actor;
  return apiKeyId === undefined ? EMBEDDED : { type: 'key', id: apiKeyId, address };
}

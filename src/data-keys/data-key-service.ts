import { type AuditTrail, EMBEDDED } from '../audit/index.ts';
import type { Actor, DataKeyService, KeyringState, RewrapReport, UnopenedDataKey } from '../engine-interface.ts';
import {
  type Clock,
  type DataKeyKind,
  type DataKeyRow,
  KalendsError,
  type Keyring,
  KeyringError,
  type Sealer,
  type Storage,
} from '../ports/index.ts';
import { describeError, isKeyringOutage, type Keyrings } from '../runtime/index.ts';
import { keyOwner } from './key-owner.ts';
import type { SecretCheck } from './secret-check.ts';

const PAGE_SIZE = 100;
/** Maximum number of unopened keys that a report names. */
const MAX_NAMED = 50;
const KINDS: readonly DataKeyKind[] = ['client', 'credential', 'target'];

type Outcome = 'rewrapped' | 'current' | 'removed' | { readonly reason: string };

/**
 * Creates the service that rewraps stored data keys by the current keyring, row by row. The sealed data stays as it is, so
 * concurrent reads and writes of it go on. When several processes rewrap, one of them wraps each key.
 */
export function createDataKeyService(dependencies: {
  readonly storage: Pick<Storage, 'dataKeys' | 'audit'>;
  readonly sealer: Sealer;
  readonly keyrings: Keyrings;
  readonly clock: Clock;
  readonly secretCheck: Pick<SecretCheck, 'inspect' | 'renewRecord'>;
  readonly audit: AuditTrail;
}): DataKeyService {
  const { storage, sealer, keyrings, clock, secretCheck, audit } = dependencies;

  /** Rewraps the key of one row; calls `beforeReplacing` before it is replaced. */
  const rewrap = async (row: DataKeyRow, beforeReplacing: () => Promise<void>): Promise<Outcome> => {
    let { wrappedKey } = row;
    for (;;) {
      let next: string | null;
      try {
        next = await sealer.rewrap(wrappedKey, keyOwner(row));
      } catch (error) {
        // While the keyring is unavailable, no key can be rewrapped: the run ends, and a later one goes on.
        if (KalendsError.isInstance(error) && !isKeyringOutage(error)) return { reason: error.message };
        throw error;
      }
      if (next === null) return 'current';
      await beforeReplacing();
      const stored = await storage.dataKeys.replace({ ...row, wrappedKey }, next);
      if (stored === undefined) return 'removed';
      if (stored === next) return 'rewrapped';
      // Another process rewrapped the key, or a new connection replaced it: look at that one.
      wrappedKey = stored;
    }
  };

  /** Returns a function that writes the entry of a run at its first call. */
  const auditOnce = (by: Actor) => {
    let isWritten = false;
    return async () => {
      if (isWritten) return;
      const act = { applicationId: null, action: 'secrets.rewrapped', target: keyrings[0].id };
      await storage.audit.append(audit(by, act));
      isWritten = true;
    };
  };

  return {
    check: () => secretCheck.inspect(),
    async rewrap({ pauseMs = 0, signal, progress } = {}, by = EMBEDDED) {
      const beforeReplacing = auditOnce(by);
      const count = { rewrapped: 0, current: 0, unopened: 0 };
      const unopenedKeys: UnopenedDataKey[] = [];
      const report = (): RewrapReport => ({ ...count, unopenedKeys: [...unopenedKeys] });
      const rewrapAll = async (kind: DataKeyKind): Promise<void> => {
        let after = '';
        for (;;) {
          const page = await storage.dataKeys.list(kind, { after, limit: PAGE_SIZE });
          for (const row of page) {
            signal?.throwIfAborted();
            const outcome = await rewrap(row, beforeReplacing);
            if (typeof outcome === 'object') {
              count.unopened += 1;
              if (unopenedKeys.length < MAX_NAMED) unopenedKeys.push({ ...named(row), ...outcome });
            } else if (outcome !== 'removed') count[outcome] += 1;
          }
          if (page.length > 0) progress?.(report());
          const last = page.at(-1);
          if (last === undefined || page.length < PAGE_SIZE) break;
          after = last.id;
          if (pauseMs > 0) await clock.sleep(pauseMs, signal);
        }
      };
      for (const kind of KINDS) await rewrapAll(kind);
      await secretCheck.renewRecord();
      return report();
    },
    checkKeyrings: () => Promise.all(keyrings.map((keyring, index) => stateOf(keyring, index === 0))),
  };
}

async function stateOf(keyring: Keyring, isCurrent: boolean): Promise<KeyringState> {
  try {
    await keyring.check();
    return { id: keyring.id, isCurrent, problem: null };
  } catch (error) {
    return {
      id: keyring.id,
      isCurrent,
      problem: KeyringError.isInstance(error) ? error.message : describeError(error),
    };
  }
}

function named(row: DataKeyRow): Omit<UnopenedDataKey, 'reason'> {
  const { applicationId } = row;
  switch (row.kind) {
    case 'client':
      return { applicationId, providerType: row.providerType };
    case 'credential':
      return { applicationId, accountId: row.accountId };
    case 'target':
      return { applicationId, targetId: row.id };
  }
}

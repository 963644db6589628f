import type { AccountMessage, MessageType } from '../model/index.ts';
import type { AccountNotice, AccountRow, AnnounceAccount, Clock, Random } from '../ports/index.ts';
import { createId } from '../runtime/index.ts';

/** Messages to applications about their accounts. */
export interface AccountMessages {
  /** Of an account that was given credentials. */
  readonly connected: AnnounceAccount;
  /** Of any other change, the end of the account included. */
  readonly changed: AnnounceAccount;
  /** To be called when such a change has been stored. */
  readonly enqueued: () => void;
}

export function createAccountMessages(dependencies: {
  readonly clock: Clock;
  readonly random: Random;
  /** Called when a message may have been enqueued. */
  readonly enqueued: () => void;
}): AccountMessages {
  const { clock, random, enqueued } = dependencies;
  const messageId = () => createId(random, 'msg');

  const notices = (types: readonly MessageType[], account: AccountRow | undefined): readonly AccountNotice[] => {
    if (account === undefined) return [];
    const data = JSON.stringify(dataOf(account));
    return types.map((eventType) => ({ eventType, timestamp: clock.now(), data, messageId }));
  };

  return {
    connected: (before, after) =>
      notices(before === undefined ? ['enduseraccount.created'] : [...changesOf(before, after), CREDENTIALS], after),
    changed: (before, after) => notices(changesOf(before, after), after ?? before),
    enqueued,
  };
}

const CREDENTIALS: MessageType = 'enduseraccount.credential.updated';

function changesOf(before: AccountRow | undefined, after: AccountRow | undefined): readonly MessageType[] {
  if (before === undefined) return ['enduseraccount.created'];
  if (after === undefined) return ['enduseraccount.deleted'];
  return visibleText(before) === visibleText(after) ? [] : ['enduseraccount.updated'];
}

/** Returns the visible fields of an account that can change; `updatedAt` alone is no change. */
function visibleText(row: AccountRow): string {
  const { email, externalId, authorizedScopes, providerAccountId, providerConfigId, status } = row;
  return JSON.stringify([email, externalId, authorizedScopes, providerAccountId, providerConfigId, status]);
}

function dataOf({ id, externalId, email, providerType, status }: AccountRow): AccountMessage['data'] {
  return { endUserAccountId: id, externalId, email, providerType, status };
}

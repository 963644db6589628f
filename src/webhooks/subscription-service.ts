import { z } from 'zod';
import type { AccountAccess, ConnectedAccount } from '../accounts/index.ts';
import { noAccount, toPublicError } from '../accounts/index.ts';
import type { ChannelKeeper } from '../channels/index.ts';
import type { Caller, SubscriptionService } from '../engine-interface.ts';
import { invalid } from '../errors.ts';
import { ON_MESSAGE_URL } from '../message-handler.ts';
import type { Mirror } from '../mirror/index.ts';
import { PAGE_SIZE, pageSizeOf, parseInput, subscriptionCreate, subscriptionListQuery } from '../model/index.ts';
import {
  type AccountRow,
  type Clock,
  KalendsError,
  type Logger,
  type Random,
  type Sealer,
  type Storage,
  type SubscriptionRow,
} from '../ports/index.ts';
import { createId, createPageTokens, describeError, type TokenSealer } from '../runtime/index.ts';
import type { ReceiverCheck } from './on-message.ts';
import { createEndpointSecret } from './signature.ts';
import { createSubscriptionView } from './subscription-view.ts';
import type { TargetOperations } from './target-operations.ts';
import { sealSecret } from './target-secret.ts';

const SCAN_PAGE = 250;

/** Body or query of a deletion. */
const subscriptionDelete = z.strictObject({ subscriptionId: z.string().min(1, 'must not be empty').max(1024) });

interface SubscriptionDependencies {
  readonly storage: Storage;
  readonly accounts: AccountAccess;
  readonly mirror: Mirror;
  readonly channels: ChannelKeeper;
  readonly operations: TargetOperations;
  readonly checkReceiver: ReceiverCheck;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Sealer of purpose `page:subscriptions`. */
  readonly pageSealer: TokenSealer;
}

/** The collections of a subscription: one calendar, or the whole account. */
type NewSubscription = ReturnType<typeof subscriptionCreate.parse>;

type Covered = Pick<NewSubscription, 'subscriptionType'> & { readonly calendarId?: string | null | undefined };

/** Creates the service of webhook subscriptions (spec §4.6). */
export function createSubscriptionService(dependencies: SubscriptionDependencies): SubscriptionService {
  const { storage, accounts, channels, operations, checkReceiver, clock, logger } = dependencies;
  const pageTokens = createPageTokens<Record<string, never>>(dependencies.pageSealer);

  /** Finds an EXPIRED account too: its subscriptions can be listed and deleted. */
  const findAccount = async (caller: Caller, accountId: string): Promise<AccountRow> => {
    const row = await storage.accounts.find(caller.applicationId, accountId);
    if (row === undefined) throw noAccount();
    return row;
  };

  const get = async ({ applicationId }: Caller, accountId: string, id: string): Promise<SubscriptionRow> => {
    const row = await storage.subscriptions.find(applicationId, accountId, id);
    if (row === undefined) throw noSubscription();
    return row;
  };

  /** Closes channels that no subscription uses any more. Best effort: the deletion has been committed and must not fail. */
  const releaseChannels = async (account: AccountRow, { subscriptionType, calendarId }: SubscriptionRow) => {
    try {
      if (subscriptionType === 'calendar') await channels.releaseAll(account);
      else await channels.release(account, calendarId);
    } catch (error) {
      logger.warn('channels not released', { accountId: account.id, error: describeError(error) });
    }
  };

  return {
    async list(caller, accountId, query = {}) {
      const parsed = parseInput(subscriptionListQuery, query);
      const limit = pageSizeOf(parsed, PAGE_SIZE.subscriptions);
      await findAccount(caller, accountId);
      const scope = `${caller.applicationId}/${accountId}`;
      const { after } = pageTokens.resolve(scope, parsed.pageToken, {});
      const rows = await storage.subscriptions.list(caller.applicationId, accountId, {
        ...(after === undefined ? {} : { after }),
        limit: limit + 1,
      });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const view = createSubscriptionView(storage.channels, clock);
      return {
        data: await Promise.all(page.map(view)),
        nextPageToken: rows.length > limit && last !== undefined ? pageTokens.seal(scope, {}, last) : null,
      };
    },

    async create(caller, accountId, body) {
      const parsed = parseInput(subscriptionCreate, body);
      if (parsed.webhookUrl === ON_MESSAGE_URL && parsed.format !== 'plain') {
        throw invalid('format', `must be plain for ${ON_MESSAGE_URL}, which gets the messages themselves`);
      }
      const account = await accounts.get(caller.applicationId, accountId);
      await checkReceiver(parsed.webhookUrl, caller);
      try {
        await completeMirror(dependencies.mirror, account, parsed);
        return await subscribe(dependencies, account, parsed);
      } catch (error) {
        throw toPublicError(error);
      }
    },

    async delete(caller, accountId, input) {
      const { subscriptionId } = parseInput(subscriptionDelete, input);
      const account = await findAccount(caller, accountId);
      const row =
        (await storage.subscriptions.find(caller.applicationId, accountId, subscriptionId)) ??
        (await findByChannel(dependencies, account, subscriptionId));
      if (!(await storage.subscriptions.delete(caller.applicationId, accountId, row.id))) throw noSubscription();
      await releaseChannels(account, row);
    },

    async enable(caller, accountId, id) {
      const account = await accounts.get(caller.applicationId, accountId);
      const row = await get(caller, accountId, id);
      try {
        await enable(dependencies, caller, account, row);
      } catch (error) {
        throw toPublicError(error);
      }
      return createSubscriptionView(storage.channels, clock)(await get(caller, accountId, id));
    },

    listDeliveries: async (caller, accountId, id, query) =>
      operations.listDeliveries(await get(caller, accountId, id), query),
    redeliver: async (caller, accountId, id, body) => operations.redeliver(await get(caller, accountId, id), body),
    recover: async (caller, accountId, id, body) => operations.recover(await get(caller, accountId, id), body),
    rotateSecret: async (caller, accountId, id) => operations.rotateSecret(caller, await get(caller, accountId, id)),
  };
}

/** Enables a subscription and covers its collections, also when an earlier call failed to open the channel. */
async function enable(
  dependencies: SubscriptionDependencies,
  caller: Caller,
  account: ConnectedAccount,
  row: SubscriptionRow,
) {
  const { operations, clock, random } = dependencies;
  await completeMirror(dependencies.mirror, account, row);
  const message = { id: createId(random, 'msg'), eventType: 'calendar.event.unknown', timestamp: clock.now() } as const;
  await operations.enable(caller, row, message);
  await cover(dependencies.channels, account, row);
}

const cover = (channels: ChannelKeeper, account: ConnectedAccount, covered: Covered): Promise<unknown> =>
  covered.subscriptionType === 'calendar'
    ? channels.ensureAll(account)
    : channels.ensure(account, covered.calendarId ?? null);

/** Completes the mirror of the covered collections: subscribers fetch changes from it after the first message. */
async function completeMirror(mirror: Mirror, account: ConnectedAccount, covered: Covered): Promise<void> {
  const { subscriptionType } = covered;
  const calendarId = covered.calendarId ?? undefined;
  if (calendarId !== undefined && (await mirror.findCalendar(account, calendarId)) === undefined) {
    const message = 'The account has no such calendar.';
    throw new KalendsError('NotFound', message, { details: [{ path: 'calendarId', message }] });
  }
  if (subscriptionType === 'calendar') await ready(mirror.openCalendars(account), () => mirror.pull(account, null));
  else if (calendarId !== undefined) {
    await ready(mirror.openEvents(account, calendarId), () => mirror.pull(account, calendarId));
  }
}

/** Waits for the first pull instead of rejecting with CalendarSyncing. */
async function ready(opening: Promise<unknown>, pull: () => Promise<void>): Promise<void> {
  try {
    await opening;
  } catch (error) {
    if (!KalendsError.isInstance(error) || error.code !== 'CalendarSyncing') throw error;
    await pull();
  }
}

/** Stores the subscription and covers its collections. Removes it again when no channel can be opened. */
async function subscribe(dependencies: SubscriptionDependencies, account: ConnectedAccount, body: NewSubscription) {
  const { storage, channels, sealer, clock, random } = dependencies;
  const { applicationId, id: accountId, providerType } = account.row;
  const id = createId(random, 'whs');
  const endpointSecret = createEndpointSecret(random);
  const now = clock.now();
  // Insert before the channel is opened: from here on, a concurrent release sees that the collection is covered.
  await storage.subscriptions.insert({
    id,
    applicationId,
    accountId,
    calendarId: body.calendarId ?? null,
    subscriptionType: body.subscriptionType,
    providerType,
    detail: body.detail,
    format: body.format,
    url: body.webhookUrl,
    ...(await sealSecret(sealer, { applicationId, id }, endpointSecret)),
    previousSecret: null,
    rateLimit: body.rateLimit ?? null,
    disabledAt: null,
    failingSince: null,
    createdAt: now,
    updatedAt: now,
  });
  try {
    await cover(channels, account, body);
  } catch (error) {
    await storage.subscriptions.delete(applicationId, accountId, id);
    throw error;
  }
  return { webhookSubscriptionId: id, endpointSecret };
}

/**
 * Finds the only subscription that is shown with this provider channel.
 * @throws KalendsError NotFound, or Conflict when several share the channel
 */
async function findByChannel(
  { storage, clock }: SubscriptionDependencies,
  account: AccountRow,
  providerChannelId: string,
): Promise<SubscriptionRow> {
  const view = createSubscriptionView(storage.channels, clock);
  const users: SubscriptionRow[] = [];
  for await (const row of allSubscriptions(storage, account)) {
    if ((await view(row)).subscriptionId === providerChannelId) users.push(row);
  }
  const [only] = users;
  if (only === undefined) throw noSubscription();
  if (users.length > 1) {
    throw new KalendsError(
      'Conflict',
      `${users.length} subscriptions share this channel of the provider; name one by its own id.`,
    );
  }
  return only;
}

async function* allSubscriptions(storage: Storage, { applicationId, id }: AccountRow): AsyncIterable<SubscriptionRow> {
  let last: SubscriptionRow | undefined;
  for (;;) {
    const page = await storage.subscriptions.list(applicationId, id, {
      ...(last === undefined ? {} : { after: { createdAt: last.createdAt, id: last.id } }),
      limit: SCAN_PAGE,
    });
    yield* page;
    last = page.at(-1);
    if (page.length < SCAN_PAGE) return;
  }
}

const noSubscription = () => new KalendsError('NotFound', 'There is no such subscription.');

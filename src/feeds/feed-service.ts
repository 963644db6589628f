import { type AuditTrail, actorOf } from '../audit/index.ts';
import type { FeedService, PublicFeedService } from '../engine-interface.ts';
import { printFeed } from '../events/index.ts';
import { type Mirror, type MirrorSnapshot, noCalendar } from '../mirror/index.ts';
import { type Feed, feedCreate, feedListQuery, PAGE_SIZE, pageSizeOf, parseInput } from '../model/index.ts';
import { type Clock, type FeedRow, KalendsError, type Logger, type Random, type Storage } from '../ports/index.ts';
import { createId, createPageTokens, describeError, type Secrets, type TokenSealer } from '../runtime/index.ts';
import { createFeedSecrets } from './feed-secrets.ts';

export interface FeedServiceDeps {
  readonly storage: Pick<Storage, 'feeds' | 'mirror'>;
  readonly mirror: Mirror;
  readonly audit: AuditTrail;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly publicUrl: string | undefined;
  /** Sealer of purpose `page:feeds`. */
  readonly pageSealer: TokenSealer;
}

/** Feeds of calendars under secret addresses: their administration by the application, and their public reading. */
export function createFeedService(deps: FeedServiceDeps): {
  readonly own: FeedService;
  readonly open: PublicFeedService;
} {
  const { storage, mirror, audit, clock, random, logger, publicUrl } = deps;
  const secrets = createFeedSecrets(deps.secrets, random);
  const pageTokens = createPageTokens<Record<string, never>>(deps.pageSealer);

  /** @throws KalendsError NotFound naming a calendar that the application does not have */
  async function requireCalendars(applicationId: string, calendars: FeedRow['calendars']): Promise<void> {
    for (const [index, { accountId, calendarId }] of calendars.entries()) {
      try {
        const { account } = await mirror.startReading(applicationId, accountId, [calendarId]);
        if ((await mirror.findCalendar(account, calendarId)) === undefined) throw noCalendar();
      } catch (error) {
        throw naming(error, `calendars.${index}`);
      }
    }
  }

  /** Opens a calendar of a feed; undefined when it is gone. An account that must be reconnected shows what was mirrored last. */
  async function open(
    applicationId: string,
    { accountId, calendarId }: FeedRow['calendars'][number],
  ): Promise<Pick<MirrorSnapshot, 'key' | 'state'> | undefined> {
    try {
      return await (await mirror.startReading(applicationId, accountId, [calendarId])).open(calendarId);
    } catch (error) {
      if (!KalendsError.isInstance(error)) throw error;
      if (error.code === 'NotFound') return undefined;
      if (error.code !== 'InvalidRefreshToken' && error.code !== 'InvalidCredentials') throw error;
      const key = { applicationId, accountId, calendarId };
      const state = await storage.mirror.find(key);
      return state?.completedAt == null ? undefined : { key, state };
    }
  }

  return {
    own: {
      async list({ applicationId }, query = {}) {
        const parsed = parseInput(feedListQuery, query);
        const limit = pageSizeOf(parsed, PAGE_SIZE.subscriptions);
        const { after } = pageTokens.resolve(applicationId, parsed.pageToken, {});
        const rows = await storage.feeds.list(applicationId, {
          ...(after === undefined ? {} : { after }),
          limit: limit + 1,
        });
        const page = rows.slice(0, limit);
        const last = page.at(-1);
        const hasMore = rows.length > limit && last !== undefined;
        return {
          data: page.map(viewFeed),
          nextPageToken: hasMore ? pageTokens.seal(applicationId, {}, last) : null,
        };
      },

      async create(caller, body) {
        const { applicationId } = caller;
        const { name, detail, calendars: given } = parseInput(feedCreate, body);
        const calendars = given.map(({ endUserAccountId, calendarId }) => ({
          accountId: endUserAccountId,
          calendarId,
        }));
        const places = new Set(calendars.map((each) => JSON.stringify(each)));
        if (places.size < calendars.length) {
          throw new KalendsError('InvalidRequest', 'calendars: must not name a calendar twice', {
            details: [{ path: 'calendars', message: 'must not name a calendar twice' }],
          });
        }
        await requireCalendars(applicationId, calendars);
        const secret = secrets.create();
        const id = createId(random, 'fed');
        const row = { id, applicationId, name, detail, hash: secrets.hash(secret), calendars, createdAt: clock.now() };
        const act = { applicationId, action: 'feed.created', target: id, changed: Object.keys(body) };
        // An account that went meanwhile.
        if (!(await storage.feeds.create(row, audit(actorOf(caller), act)))) throw noCalendar();
        return { feed: viewFeed(row), url: `${publicUrl ?? ''}/v1/feeds/${secret}.ics` };
      },

      async delete(caller, feedId) {
        const { applicationId } = caller;
        const entry = audit(actorOf(caller), { applicationId, action: 'feed.deleted', target: feedId });
        if (!(await storage.feeds.delete(applicationId, feedId, entry))) throw noFeed();
      },
    },

    open: {
      async read(secret) {
        const hashes = secrets.hashes(secret);
        const feed = hashes.length === 0 ? undefined : await storage.feeds.findByHash(...hashes);
        if (feed === undefined) throw noFeed();
        const hash = secrets.hash(secret);
        if (feed.hash !== hash) {
          await storage.feeds.replaceHash(feed.id, feed.hash, hash).catch((error) => {
            logger.warn('hash of a feed not renewed', { feedId: feed.id, error: describeError(error) });
          });
        }
        const opened = await Promise.all(feed.calendars.map((calendar) => open(feed.applicationId, calendar)));
        const snapshots = opened.filter((snapshot) => snapshot !== undefined);
        return { name: feed.name, ...(await printFeed(storage.mirror, snapshots, feed)) };
      },
    },
  };
}

function viewFeed({ id, name, detail, calendars, createdAt }: FeedRow): Feed {
  return {
    id,
    name,
    detail,
    calendars: calendars.map(({ accountId, calendarId }) => ({ endUserAccountId: accountId, calendarId })),
    createdAt: new Date(createdAt).toISOString(),
  };
}

/** Returns the error of one calendar among several, with its place in the details. */
function naming(error: unknown, path: string): unknown {
  if (!KalendsError.isInstance(error) || error.code !== 'NotFound') return error;
  const { message } = error;
  return new KalendsError('NotFound', message, { details: [{ path, message }], cause: error });
}

const noFeed = () => new KalendsError('NotFound', 'There is no such feed.');

import type { Page } from '../engine-interface.ts';
import type { UnreadableObject } from '../model/index.ts';
import type { MirrorStore, UnreadableRow } from '../ports/index.ts';
import { createPageTokens, type TokenSealer } from '../runtime/index.ts';

/** Lists the objects of an account that cannot be read. */
export function createUnreadableListing(store: Pick<MirrorStore, 'listUnreadable'>, pageSealer: TokenSealer) {
  const tokens = createPageTokens<Readonly<Record<string, never>>>(pageSealer);
  return {
    async list(
      applicationId: string,
      accountId: string,
      pageToken: string | undefined,
      limit: number,
    ): Promise<Page<UnreadableObject>> {
      const scope = `unreadable:${accountId}`;
      const { after } = tokens.resolve(scope, pageToken, {});
      const rows = await store.listUnreadable(applicationId, accountId, {
        limit: limit + 1,
        ...(after === undefined ? {} : { after: { collection: after.createdAt, objectId: after.id } }),
      });
      const last = rows[limit - 1];
      const hasMore = rows.length > limit && last !== undefined;
      // Collections are numbered in the order of their creation.
      const position = last && { createdAt: last.place.collection, id: last.place.objectId };
      return {
        data: rows.slice(0, limit).map(viewUnreadable),
        nextPageToken: hasMore && position !== undefined ? tokens.seal(scope, {}, position) : null,
      };
    },
  };
}

function viewUnreadable({ calendarId, objectId, isPart, reason, since }: UnreadableRow): UnreadableObject {
  return {
    kind: calendarId === null ? 'calendar' : isPart ? 'part' : 'event',
    calendarId,
    objectId: objectId === '' ? null : objectId,
    reason,
    since: new Date(since).toISOString(),
  };
}

import { type CreationKey, KalendsError } from '../../ports/index.ts';
import type { TokenSealer } from './token-sealer.ts';

/** Position in a list, with the filters of its query. */
export interface ListPosition<Filters> {
  readonly filters: Filters;
  readonly after: CreationKey | undefined;
}

/** Page tokens of lists ordered by creation, bound to their owner (`scope`) and filters. */
export interface PageTokens<Filters> {
  /** Seals a position. Equal positions give equal tokens: an unchanged page is the same to the byte. */
  seal(scope: string, filters: Filters, after: CreationKey): string;
  /**
   * Returns the position of a request: that of its page token, which contains the filters, or the start. Filters sent beside
   * a page token must equal those in it.
   * @throws KalendsError InvalidPageToken
   */
  resolve(scope: string, pageToken: string | undefined, filters: Filters): ListPosition<Filters>;
}

export function createPageTokens<Filters extends Readonly<Record<string, string | undefined>>>(
  sealer: TokenSealer,
): PageTokens<Filters> {
  return {
    seal: (scope, filters, after) => sealer.sealAlike([scope, filters, after.createdAt, after.id]),
    resolve(scope, pageToken, filters) {
      if (pageToken === undefined) return { filters, after: undefined };
      const opened = sealer.open(pageToken) as [string, Filters, number, string] | undefined;
      if (opened === undefined || opened[0] !== scope) {
        throw invalidPageToken('The page token is not valid for this list.');
      }
      const [, remembered, createdAt, id] = opened;
      for (const [name, value] of Object.entries(filters)) {
        if (value !== undefined && value !== remembered[name]) {
          throw invalidPageToken(`The page token belongs to a list with another ${name}.`);
        }
      }
      return { filters: remembered, after: { createdAt, id } };
    },
  };
}

function invalidPageToken(message: string): KalendsError {
  return new KalendsError('InvalidPageToken', message, { details: [{ path: 'pageToken', message }] });
}

import type { Clock } from 'kalends/ports';
import type { Shard } from './shard.ts';
import { readShardNames } from './shard-names.ts';

/** Age up to which a process trusts what it has read of an account's place. A move waits for twice as long. */
export const PLACE_TTL_MS = 2_000;
/** Places that are remembered; beyond it all are forgotten. */
const MOST_PLACES = 100_000;

/** Where an account is. */
export interface Place {
  readonly accountId: string;
  readonly applicationId: string;
  /** Name of the shard. */
  readonly shard: string;
  /** Shard that the account is being moved to; null when it stays. */
  readonly movingTo: string | null;
  /** Shard that it has come from and that may still have rows of it; null once they are gone. */
  readonly movedFrom: string | null;
  /** Raised by every move. */
  readonly epoch: number;
}

/** Whether no move of the account is under way. */
export function isSettled({ movingTo, movedFrom }: Place): boolean {
  return movingTo === null && movedFrom === null;
}

/** A place, and when its reading began. */
export interface FoundPlace {
  /** Undefined for an account that does not exist. */
  readonly place: Place | undefined;
  readonly readAt: number;
}

/** The list of where accounts are, in the home database. */
export interface Places {
  /** Returns an account's place, as it was at most `PLACE_TTL_MS` ago. That of an account on the move is always read anew. */
  find(accountId: string): Promise<FoundPlace>;
  /** Reads an account's place. */
  read(accountId: string): Promise<FoundPlace>;
  /** Whether what was found is still certain: a move that begins now cannot have removed anything yet. */
  isCertain(found: FoundPlace): boolean;
  /** Adds a place unless the account has one; resolves with the place that it has. */
  add(place: Pick<Place, 'accountId' | 'applicationId' | 'shard'>): Promise<Place>;
  /** Removes the place of an account that does not exist. */
  remove(accountId: string): Promise<void>;
  forget(accountId: string): void;
  /** Lists places by account id, beyond `after`. */
  list(input: { readonly after?: string; readonly shard?: string; readonly limit: number }): Promise<readonly Place[]>;
  /** Names the shards that have accounts, without a walk over these. */
  names(): Promise<readonly string[]>;
  /** Counts accounts by shard; shards without any are left out. */
  count(): Promise<ReadonlyMap<string, number>>;
}

/** Columns of a place, as `Place` names them. */
export const PLACE_COLUMNS =
  'account_id as "accountId", application_id as "applicationId", shard, moving_to as "movingTo", moved_from as "movedFrom", epoch';

/** @param clock must never be set back */
export function createPlaces(home: Shard, clock: Clock): Places {
  const kept = new Map<string, FoundPlace>();
  const reading = new Map<string, Promise<FoundPlace>>();

  const select = async (accountId: string) => {
    const rows = await home.read<Place>(`select ${PLACE_COLUMNS} from kalends_account_place where account_id = $1`, [
      accountId,
    ]);
    return rows[0];
  };
  /** An account of a process that knows of no shards is in the home database. */
  const adopt = async (accountId: string) => {
    const [account] = await home.read('select 1 as found from kalends_account where id = $1', [accountId]);
    if (account === undefined) return undefined;
    await home.write(
      `insert into kalends_account_place (account_id, application_id, shard)
        select id, application_id, $2 from kalends_account where id = $1 on conflict do nothing`,
      [accountId, home.name],
    );
    return await select(accountId);
  };
  const read = async (accountId: string): Promise<FoundPlace> => {
    const readAt = clock.now();
    const found = { place: (await select(accountId)) ?? (await adopt(accountId)), readAt };
    kept.delete(accountId);
    if (kept.size >= MOST_PLACES) kept.clear();
    if (found.place !== undefined && found.place.movingTo === null) kept.set(accountId, found);
    return found;
  };
  const isYoung = ({ readAt }: FoundPlace) => clock.now() - readAt <= PLACE_TTL_MS;

  return {
    async find(accountId) {
      const known = kept.get(accountId);
      if (known !== undefined && isYoung(known)) return known;
      let running = reading.get(accountId);
      if (running === undefined) {
        running = read(accountId).finally(() => reading.delete(accountId));
        reading.set(accountId, running);
      }
      return await running;
    },
    read,
    isCertain: (found) => found.place?.movingTo == null && isYoung(found),
    async add({ accountId, applicationId, shard }) {
      await home.write(
        `insert into kalends_account_place (account_id, application_id, shard) values ($1, $2, $3)
          on conflict do nothing`,
        [accountId, applicationId, shard],
      );
      const { place } = await read(accountId);
      if (place === undefined) throw new Error(`The place of the account ${accountId} was removed`);
      return place;
    },
    async remove(accountId) {
      kept.delete(accountId);
      await home.write(
        `delete from kalends_account_place where account_id = $1
          and not exists (select 1 from kalends_account where id = $1)`,
        [accountId],
      );
    },
    forget: (accountId) => void kept.delete(accountId),
    list: ({ after = '', shard, limit }) =>
      home.read<Place>(
        `select ${PLACE_COLUMNS} from kalends_account_place
          where account_id > $1 and ($2::text is null or shard = $2) order by account_id limit $3`,
        [after, shard ?? null, limit],
      ),
    names: () => readShardNames(home.read),
    async count() {
      const rows = await home.read<{ readonly shard: string; readonly accounts: number }>(
        'select shard, count(*)::int8 as accounts from kalends_account_place group by shard',
      );
      return new Map(rows.map(({ shard, accounts }) => [shard, accounts]));
    },
  };
}

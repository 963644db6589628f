import type { Storage } from 'kalends/ports';
import type { Kysely } from 'kysely';
import { accountStore } from './accounts.ts';
import { applicationStore } from './applications.ts';
import { channelStore } from './channels.ts';
import type { SqlContext } from './context.ts';
import type { SqlDialect } from './dialect.ts';
import { leaseStore } from './leases.ts';
import { migrate } from './migrate.ts';
import { mirrorStore } from './mirror.ts';
import { outboxStore } from './outbox.ts';
import { scheduleStore } from './schedule.ts';
import type { Tables } from './schema.ts';
import { subscriptionStore } from './subscriptions.ts';

export interface SqlStorageOptions {
  readonly database: Kysely<Tables>;
  /** Connections for reading statements, where they differ from the writing ones. @default database */
  readonly reader?: Kysely<Tables>;
  readonly dialect: SqlDialect;
}

/** The storage over a database that kysely can talk to. Closing it destroys the given connections. */
export function createSqlStorage({ database, reader = database, dialect }: SqlStorageOptions): Storage {
  const context: SqlContext = { database, reader, dialect };
  return {
    open: () => migrate(context),
    close: async () => {
      if (reader !== database) await reader.destroy();
      await database.destroy();
    },
    applications: applicationStore(context),
    accounts: accountStore(context),
    mirror: mirrorStore(context),
    schedule: scheduleStore(context),
    leases: leaseStore(context),
    channels: channelStore(context),
    subscriptions: subscriptionStore(context),
    outbox: outboxStore(context),
  };
}

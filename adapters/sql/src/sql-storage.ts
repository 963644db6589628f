import type { Storage } from 'kalends/ports';
import type { Kysely } from 'kysely';
import { accountStore } from './accounts.ts';
import { apiKeyStore } from './api-keys.ts';
import { applicationStore } from './applications.ts';
import { auditStore } from './audit-log.ts';
import { channelStore } from './channels.ts';
import type { SqlContext } from './context.ts';
import { dataKeyStore } from './data-keys.ts';
import type { SqlDialect } from './dialect.ts';
import { healthStore } from './health.ts';
import { intentStore } from './intents.ts';
import { leaseStore } from './leases.ts';
import { migrate } from './migrate.ts';
import { mirrorStore } from './mirror.ts';
import { outboxStore } from './outbox.ts';
import { providerConfigStore } from './provider-configs.ts';
import { readStore } from './reads.ts';
import { scheduleStore } from './schedule.ts';
import type { Tables } from './schema.ts';
import { subscriptionStore } from './subscriptions.ts';
import { createTableNames, type TableNames } from './table-names.ts';
import { endpointStore, targetStore } from './targets.ts';
import { usedStateStore } from './used-states.ts';

export interface SqlStorageOptions {
  readonly database: Kysely<Tables>;
  /** Connections for reading statements, where they differ from the writing ones. @default database */
  readonly reader?: Kysely<Tables>;
  readonly dialect: SqlDialect;
  /** Names of the tables, under which the drivers of `database` and `reader` send statements. @default kalends_… */
  readonly names?: TableNames;
}

/** Creates the storage over a database that kysely can talk to. Closing it destroys the given connections. */
export function createSqlStorage(options: SqlStorageOptions): Storage {
  const { database, reader = database, dialect, names = createTableNames() } = options;
  const context: SqlContext = { database, reader, dialect, names };
  return {
    open: () => migrate(context),
    close: async () => {
      if (reader !== database) await reader.destroy();
      await database.destroy();
    },
    applications: applicationStore(context),
    providerConfigs: providerConfigStore(context),
    apiKeys: apiKeyStore(context),
    usedStates: usedStateStore(context),
    audit: auditStore(context),
    accounts: accountStore(context),
    mirror: mirrorStore(context),
    reads: readStore(context),
    schedule: scheduleStore(context),
    leases: leaseStore(context),
    intents: intentStore(context),
    channels: channelStore(context),
    subscriptions: subscriptionStore(context),
    endpoints: endpointStore(context),
    targets: targetStore(context),
    outbox: outboxStore(context),
    dataKeys: dataKeyStore(context),
    health: healthStore(context),
  };
}

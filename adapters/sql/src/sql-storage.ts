import type { Storage } from 'kalends/ports';
import type { Kysely } from 'kysely';
import { accountStore } from './accounts/accounts.ts';
import { usedStateStore } from './accounts/used-states.ts';
import { apiKeyStore } from './applications/api-keys.ts';
import { applicationStore } from './applications/applications.ts';
import { auditStore } from './applications/audit-log.ts';
import { dataKeyStore } from './applications/data-keys.ts';
import { feedStore } from './applications/feeds.ts';
import { importStore } from './applications/imports.ts';
import { providerConfigStore } from './applications/provider-configs.ts';
import type { SqlContext } from './context.ts';
import { erasureStore } from './erasure/erasure.ts';
import { healthStore } from './health.ts';
import { holdStore } from './holds/holds.ts';
import { intentStore } from './intents/intents.ts';
import { measurementStore } from './measurements.ts';
import { migrate } from './migrations/migrate.ts';
import { mirrorStore } from './mirror/mirror.ts';
import { pullStore } from './mirror/pulls.ts';
import { readStore } from './mirror/reads.ts';
import type { Tables } from './schema/schema.ts';
import { createTableNames, type TableNames } from './schema/table-names.ts';
import { createCommitFeed } from './statements/commit-feed.ts';
import type { SqlDialect } from './statements/dialect.ts';
import { channelStore } from './sync/channels.ts';
import { leaseStore } from './sync/leases.ts';
import { scheduleStore } from './sync/schedule.ts';
import { outboxStore } from './webhooks/outbox.ts';
import { subscriptionStore } from './webhooks/subscriptions.ts';
import { endpointStore, targetStore } from './webhooks/targets.ts';

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
  const { database, reader = database, names = createTableNames() } = options;
  const commits = createCommitFeed();
  const context: SqlContext = { database, reader, dialect: commits.watch(options.dialect), commits, names };
  return {
    open: () => migrate(context),
    close: async () => {
      if (reader !== database) await reader.destroy();
      await database.destroy();
    },
    applications: applicationStore(context),
    providerConfigs: providerConfigStore(context),
    apiKeys: apiKeyStore(context),
    feeds: feedStore(context),
    imports: importStore(context),
    usedStates: usedStateStore(context),
    audit: auditStore(context),
    accounts: accountStore(context),
    mirror: mirrorStore(context),
    reads: readStore(context),
    pulls: pullStore(context),
    schedule: scheduleStore(context),
    leases: leaseStore(context),
    intents: intentStore(context),
    holds: holdStore(context),
    channels: channelStore(context),
    subscriptions: subscriptionStore(context),
    endpoints: endpointStore(context),
    targets: targetStore(context),
    outbox: outboxStore(context),
    dataKeys: dataKeyStore(context),
    erasure: erasureStore(context),
    measurements: measurementStore(context),
    health: healthStore(context),
    commits: { subscribe: commits.subscribe },
  };
}

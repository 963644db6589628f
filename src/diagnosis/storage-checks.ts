import type { Clock, Databases, Finding, HealthStore, HostCheck, SchemaState, Storage } from '../ports/index.ts';
import { describeError, withDeadline, withOutageTimeout, zoneDataVersion } from '../runtime/index.ts';
import { clockFinding } from './clock-finding.ts';
import { runChecks } from './run-checks.ts';

const REACH_MS = 8_000;

/** Findings about the storage. `isUsable` is false while nothing can be read from it. */
export interface StorageDiagnosis {
  readonly isUsable: boolean;
  readonly findings: readonly Finding[];
}

/** Diagnoses a storage, opened or not, and changes nothing in it. Of one over several databases each is examined and named. */
export async function diagnoseStorage(storage: Pick<Storage, 'health'>, clock: Clock): Promise<StorageDiagnosis> {
  const { databases } = storage.health;
  if (databases === undefined) return await diagnoseDatabase(storage.health, clock);
  const diagnoses = await Promise.all(
    databases.given.map(async ({ name, address, health }) => {
      const { findings, ...state } = await diagnoseDatabase(health, clock);
      const which = address === null ? name : `${name} at ${address}`;
      return { ...state, findings: findings.map((each) => ({ ...each, message: `${which}: ${each.message}` })) };
    }),
  );
  const [home, ...others] = diagnoses;
  const isHomeUsable = home?.isUsable === true;
  return {
    // To read from one that is not migrated would migrate it. One that is away is passed over.
    isUsable: isHomeUsable && others.every(({ isUsable, isReached }) => isUsable || !isReached),
    findings: [
      ...diagnoses.flatMap(({ findings }) => findings),
      ...(isHomeUsable
        ? await runChecks([{ check: 'shards', run: async () => [await shardsFinding(databases)] }], clock)
        : []),
    ],
  };
}

async function shardsFinding({ given, countMissing }: Databases): Promise<Finding> {
  const check = 'shards';
  const missing = await countMissing();
  if (missing.length === 0) {
    const message = `All accounts are in the ${given.length} databases that are configured.`;
    return { check, status: 'ok', message, remedy: null };
  }
  const names = missing.map(({ name, accounts }) => `"${name}" with ${accounts} accounts`).join(', ');
  return {
    check,
    status: 'failed',
    message: `Accounts are in databases that are not configured: ${names}. Their requests get 503.`,
    remedy: `Add ${missing.map(({ name }) => `${name}=postgres://…`).join(',')} to KALENDS_SHARDS of every process.`,
  };
}

async function diagnoseDatabase(
  health: HealthStore,
  clock: Clock,
): Promise<StorageDiagnosis & { readonly isReached: boolean }> {
  let schema: SchemaState;
  try {
    // No waiting for the end of an outage: it is the finding.
    schema = await withDeadline(clock, REACH_MS, () =>
      withOutageTimeout({ limitMs: 0 }, async () => {
        await health.reach();
        return await health.schema();
      }),
    );
  } catch (error) {
    return { isUsable: false, isReached: false, findings: [unreachable(error)] };
  }
  const { applied, missing } = schema;
  const database = schemaFinding(schema);
  const checks: HostCheck[] = [{ check: 'databaseHost', run: (signal) => health.diagnose(signal) }];
  if (missing.length === 0) {
    checks.unshift(
      { check: 'databaseState', run: async () => stateFindings(await health.inspect()) },
      { check: 'databaseClock', run: async () => [databaseClock((await health.stats()).now, clock.now())] },
    );
  }
  return {
    isReached: true,
    isUsable: applied.length > 0 && missing.length === 0,
    findings: [database, ...(await runChecks(checks, clock))],
  };
}

function unreachable(error: unknown): Finding {
  return {
    check: 'database',
    status: 'failed',
    message: `The database cannot be reached: ${describeError(error)}`,
    remedy:
      'Check that it runs, its address, user, password and network. A new SQLite file or schema is made by "kalends migrate".',
  };
}

function schemaFinding({ applied, missing }: SchemaState): Finding {
  if (missing.length === 0) {
    const message = `The database is reached, and its schema is at ${applied.at(-1)}.`;
    return { check: 'database', status: 'ok', message, remedy: null };
  }
  const from = applied.length === 0 ? 'has no tables of kalends' : `lacks the migrations ${missing.join(', ')}`;
  const remedy = 'Back it up, then run "kalends migrate".';
  return { check: 'database', status: 'failed', message: `The database is reached, but ${from}.`, remedy };
}

function stateFindings(state: Awaited<ReturnType<Storage['health']['inspect']>>): readonly Finding[] {
  const { fault, isMigrated, hasLaterMigrations, zoneData } = state;
  const findings: Finding[] = [];
  if (fault !== null) {
    const remedy =
      'Free space on its disk, end what keeps it from being written, or restore a backup: see "Health" in docs/operating.md.';
    findings.push({ check: 'databaseState', status: 'failed', message: fault, remedy });
  } else if (!isMigrated || hasLaterMigrations) {
    const message = 'Another version of kalends has migrated the database.';
    findings.push({ check: 'databaseState', status: 'failed', message, remedy: 'Run that version.' });
  } else {
    const message = 'The database can be read and written.';
    findings.push({ check: 'databaseState', status: 'ok', message, remedy: null });
  }
  const own = zoneDataVersion();
  if (zoneData === null || zoneData === own) return findings;
  const message = `This process has tz data ${own}, but the database expects ${zoneData}.`;
  const remedy =
    'Run all processes with one version of Node; after an update of Node run "kalends migrate" with the newer one.';
  return [...findings, { check: 'zoneDataOfDatabase', status: 'failed', message, remedy }];
}

function databaseClock(theirs: number, ours: number): Finding {
  return clockFinding('databaseClock', 'the database', theirs - ours);
}

import { type AuditTrail, actorOf } from '../audit/index.ts';
import type { Caller, ImportService } from '../engine-interface.ts';
import { KalendsError } from '../errors.ts';
import type { ImportTarget } from '../events/index.ts';
import type { HeldLeases } from '../leases/index.ts';
import { noCalendar } from '../mirror/index.ts';
import {
  type CalendarImport,
  importCreateQuery,
  importGetQuery,
  PAGE_SIZE,
  pageSizeOf,
  parseInput,
} from '../model/index.ts';
import type { Clock, ImportProblem, ImportRow, Logger, Random, Storage } from '../ports/index.ts';
import { createId, createPageTokens, describeError, type TokenSealer, type WakeUp } from '../runtime/index.ts';
import { receiveFile } from './receive-file.ts';
import { runImport } from './run-import.ts';

export interface ImportDeps {
  readonly storage: Pick<Storage, 'imports'>;
  readonly events: ImportTarget;
  readonly leases: HeldLeases;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Sealer of purpose `page:imports`. */
  readonly pageSealer: TokenSealer;
  /** Wakes `run` when a file has been read. */
  readonly wakeUp: WakeUp;
}

/** How often a process looks for imports that another process began or left. */
const EVERY_MS = 5_000;
/** A process works on so many at a time. */
const IMPORTS_AT_ONCE = 4;
const NO_UIDS: ImportProblem = {
  field: 'iCalUid',
  rule: 'is not kept: the calendar gives each event a UID of its own',
};

const leaseName = ({ accountId, id }: Pick<ImportRow, 'accountId' | 'id'>) => `import:${accountId}:${id}`;

/** Imports of iCalendar files: their administration, and the work on them. */
export function createImports(deps: ImportDeps): {
  readonly service: ImportService;
  /** Works on imports until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
} {
  const { events, leases, audit, clock, random, logger, wakeUp } = deps;
  const store = deps.storage.imports;
  const pageTokens = createPageTokens<Record<string, never>>(deps.pageSealer);

  /** Begins an import. @throws KalendsError Conflict while another of the calendar is under way */
  async function begin(caller: Caller, row: ImportRow): Promise<void> {
    const { applicationId, id } = row;
    const entry = audit(actorOf(caller), { applicationId, action: 'import.started', target: id });
    const outcome = await store.begin(row, entry);
    if (outcome === 'unknown') throw noCalendar();
    if (outcome === 'running') throw new KalendsError('Conflict', 'An import into the calendar is under way.');
  }

  async function view(row: ImportRow, query: Parameters<ImportService['get']>[4] = {}): Promise<CalendarImport> {
    const parsed = parseInput(importGetQuery, query);
    const limit = pageSizeOf(parsed, PAGE_SIZE.subscriptions);
    const scope = `${row.applicationId} ${row.id}`;
    const { after } = pageTokens.resolve(scope, parsed.pageToken, {});
    const rows = await store.listProblems(row, {
      limit: limit + 1,
      ...(after === undefined ? {} : { after: after.id }),
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const ofFile = after === undefined ? row.problems.map((problem) => ({ uid: '', ...problem })) : [];
    const ofEvents = page.flatMap(({ uid, problems }) => problems.map((problem) => ({ uid, ...problem })));
    const hasMore = rows.length > limit && last !== undefined;
    const counts = { waiting: 0, created: 0, updated: 0, unchanged: 0, refused: 0, ...(await store.count(row)) };
    return {
      id: row.id,
      calendarId: row.calendarId,
      state: row.state === 'finished' || row.state === 'failed' ? row.state : 'running',
      dryRun: row.isDryRun,
      error: row.errorCode,
      counts,
      problems: [...ofFile, ...ofEvents],
      nextPageToken: hasMore ? pageTokens.seal(scope, {}, { createdAt: 0, id: last.uidKey }) : null,
      createdAt: new Date(row.createdAt).toISOString(),
      finishedAt: row.finishedAt === null ? null : new Date(row.finishedAt).toISOString(),
    };
  }

  const service: ImportService = {
    async create(caller, accountId, calendarId, file, query = {}) {
      const { dryRun: isDryRun = false } = parseInput(importCreateQuery, query);
      // A calendar that cannot be written to, or not yet, is refused before anything is read.
      const { limits } = await events.capabilities(caller, accountId, calendarId);
      const id = createId(random, 'imp');
      const row: ImportRow = {
        ...{ id, applicationId: caller.applicationId, accountId, calendarId, state: 'receiving', isDryRun },
        ...{ frame: '', problems: [], errorCode: null, createdAt: clock.now(), finishedAt: null },
      };
      const lease = await leases.claim(leaseName(row));
      if (lease === undefined) throw new KalendsError('InternalError', 'The import could not be begun.');
      const hold = { ...row, lease };
      await leases.during(lease, async () => {
        await begin(caller, row);
        try {
          const received = await receiveFile(file, (items) => store.addItems(hold, items));
          const problems = limits.keepsUidOf.length > 0 ? received.problems : [...received.problems, NO_UIDS];
          await store.change(hold, { ...received, problems, state: 'matching', dueInMs: 0 });
        } catch (error) {
          // Otherwise the work on imports discards it.
          await store.discard(hold).catch((cause) => {
            logger.warn('an import was not discarded', { importId: id, error: describeError(cause) });
          });
          throw error;
        }
      });
      wakeUp.notify();
      const begun = await store.find(row);
      // The account was removed during the upload.
      if (begun === undefined) throw noCalendar();
      return await view(begun);
    },

    async get({ applicationId }, accountId, calendarId, importId, query) {
      const row = await store.find({ applicationId, accountId, id: importId });
      if (row === undefined || row.calendarId !== calendarId) {
        throw new KalendsError('NotFound', 'There is no such import.');
      }
      return await view(row, query);
    },
  };

  /** Works on an import that is due. False when another process does. */
  async function workOn(row: ImportRow, signal: AbortSignal): Promise<boolean> {
    const lease = await leases.claim(leaseName(row));
    if (lease === undefined) return false;
    await leases.during(lease, async () => {
      const now = await store.find(row);
      if (now === undefined || now.finishedAt !== null) return;
      // Its upload broke off with the process that read it.
      if (now.state === 'receiving') await store.discard({ ...row, lease });
      else await runImport({ store, events, clock, logger }, now, lease, signal);
    });
    return true;
  }

  return {
    service,
    async run(signal) {
      const running = new Map<string, Promise<void>>();

      const start = (row: ImportRow) => {
        const work = workOn(row, signal)
          .catch((error) => {
            if (signal.aborted) return false;
            logger.warn('an import stopped for now', { importId: row.id, error: describeError(error) });
            return false;
          })
          .then((isDone) => {
            running.delete(row.id);
            // One that failed may still be due: it waits for the next look.
            if (isDone) wakeUp.notify();
          });
        running.set(row.id, work);
      };

      const look = async () => {
        const free = IMPORTS_AT_ONCE - running.size;
        // One that has just been started may not have its lease yet.
        const due = free > 0 ? await store.listDue(IMPORTS_AT_ONCE) : [];
        const others = due.filter(({ id }) => !running.has(id));
        others.slice(0, free).forEach(start);
      };

      try {
        while (!signal.aborted) {
          // A failure ends no loop: its end would wait for all that is running, which may take hours.
          await look().catch((error) => {
            if (!signal.aborted) logger.warn('no look for imports', { error: describeError(error) });
          });
          await wakeUp.wait(EVERY_MS, signal).catch((error) => {
            if (!signal.aborted) throw error;
          });
        }
      } finally {
        await Promise.all(running.values());
      }
    },
  };
}

import { type AuditTrail, EMBEDDED } from '../audit/index.ts';
import type { ApplicationService } from '../engine-interface.ts';
import { invalid } from '../errors.ts';
import {
  type Application,
  applicationCreate,
  applicationListQuery,
  applicationUpdate,
  MOST_REDIRECT_URLS,
  PAGE_SIZE,
  pageSizeOf,
  parseInput,
  redirectUrlAdd,
  redirectUrlRemove,
} from '../model/index.ts';
import { type ApplicationRow, type Clock, KalendsError, type Random, type Storage } from '../ports/index.ts';
import { createId, createPageTokens, type TokenSealer } from '../runtime/index.ts';
import type { ApplicationRemoval } from './application-removal.ts';
import { noApplication } from './no-application.ts';

/** Applications and their redirect URLs. */
export function createApplicationService(dependencies: {
  readonly storage: Pick<Storage, 'applications' | 'accounts'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditTrail;
  readonly removal: ApplicationRemoval;
  /** Sealer of purpose `page:applications`. */
  readonly pageSealer: TokenSealer;
}): ApplicationService {
  const { clock, random, audit, removal } = dependencies;
  const { applications, accounts } = dependencies.storage;
  const pageTokens = createPageTokens<Record<string, never>>(dependencies.pageSealer);

  const get = async (applicationId: string): Promise<Application> => {
    const row = await applications.find(applicationId);
    if (row === undefined) throw noApplication();
    const view = viewApplication(row);
    return view.status === 'DELETING' ? { ...view, accountsLeft: await accounts.count(applicationId) } : view;
  };

  const updated = (applicationId: string, changed: readonly string[]) =>
    ({ applicationId, action: 'application.updated', target: applicationId, changed }) as const;

  return {
    async create(input, by = EMBEDDED) {
      const { name, redirectUrls } = parseInput(applicationCreate, input);
      const now = clock.now();
      const id = createId(random, 'app');
      const row = { id, name, redirectUrls, createdAt: now, updatedAt: now, deletedAt: null };
      const changed = Object.keys(input);
      await applications.create(
        row,
        audit(by, { applicationId: id, action: 'application.created', target: id, changed }),
      );
      return viewApplication(row);
    },

    async find(applicationId) {
      const row = await applications.find(applicationId);
      return row && viewApplication(row);
    },

    get,

    async list(query = {}) {
      const parsed = parseInput(applicationListQuery, query);
      const limit = pageSizeOf(parsed, PAGE_SIZE.applications);
      const { after } = pageTokens.resolve('applications', parsed.pageToken, {});
      const rows = await applications.list({ limit: limit + 1, ...(after === undefined ? {} : { after }) });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const hasMore = rows.length > limit && last !== undefined;
      return {
        data: page.map(viewApplication),
        nextPageToken: hasMore ? pageTokens.seal('applications', {}, last) : null,
      };
    },

    async update(applicationId, patch, by = EMBEDDED) {
      const { name, redirectUrls } = parseInput(applicationUpdate, patch);
      const found = await applications.update(
        applicationId,
        {
          ...(name === undefined ? {} : { name }),
          ...(redirectUrls === undefined ? {} : { redirectUrls }),
          updatedAt: clock.now(),
        },
        audit(by, updated(applicationId, Object.keys(patch))),
      );
      if (!found) throw noApplication();
      return get(applicationId);
    },

    async delete(applicationId, by = EMBEDDED) {
      await removal.begin(applicationId, by);
    },

    async addRedirectUrl(applicationId, body, by = EMBEDDED) {
      const { url } = parseInput(redirectUrlAdd, body);
      const add = (urls: readonly string[]) => {
        if (urls.includes(url)) return undefined;
        if (urls.length >= MOST_REDIRECT_URLS) {
          throw invalid('url', `is one too many: an application has at most ${MOST_REDIRECT_URLS}`);
        }
        return [...urls, url];
      };
      const entry = audit(by, updated(applicationId, ['redirectUrls']));
      const row = await applications.changeRedirectUrls(applicationId, add, clock.now(), entry);
      if (row === undefined) throw noApplication();
      return viewApplication(row);
    },

    async removeRedirectUrl(applicationId, body, by = EMBEDDED) {
      const { url } = parseInput(redirectUrlRemove, body);
      const remove = (urls: readonly string[]) => {
        if (!urls.includes(url)) throw new KalendsError('NotFound', 'The application has no such redirect URL.');
        return urls.filter((other) => other !== url);
      };
      const entry = audit(by, updated(applicationId, ['redirectUrls']));
      const row = await applications.changeRedirectUrls(applicationId, remove, clock.now(), entry);
      if (row === undefined) throw noApplication();
      return viewApplication(row);
    },
  };
}

function viewApplication(row: ApplicationRow): Application {
  return {
    id: row.id,
    name: row.name,
    redirectUrls: [...row.redirectUrls],
    status: row.deletedAt === null ? 'ACTIVE' : 'DELETING',
    createdAt: isoText(row.createdAt),
    updatedAt: isoText(row.updatedAt),
  };
}

const isoText = (at: number) => new Date(at).toISOString();

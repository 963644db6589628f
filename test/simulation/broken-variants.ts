import type { Fetch, MirrorStore, Storage } from 'kalends/ports';
import type { Json, ProviderName } from './provider-acts.ts';
import type { Tampering } from './simulation-state.ts';

export interface BrokenVariant extends Tampering {
  /** The first seed that noticed when last measured: played before the others, to save their time. */
  readonly noticedBy: Readonly<Record<ProviderName, number>>;
}

/** The product without one of its precautions each. A simulation that does not notice proves nothing. */
export const BROKEN_VARIANTS: Readonly<Record<string, BrokenVariant>> = {
  'no sweep: what a full listing does not show stays': {
    noticedBy: { google: 137, microsoft: 52 },
    storage: (storage) => withMirror(storage, { listUnseen: async () => [] }),
  },
  'no fence: a process that lost its lease may commit': {
    noticedBy: { google: 6, microsoft: 1 },
    storage: (storage) =>
      withMirror(storage, {
        commit: (key, { lease: _lease, ...commit }) => storage.mirror.commit(key, commit),
      }),
  },
  'no guard: an old answer overwrites newer knowledge': {
    noticedBy: { google: 15, microsoft: 2 },
    storage: (storage) =>
      withMirror(storage, {
        commit: (key, commit) => storage.mirror.commit(key, { ...commit, basedOn: Number.MAX_SAFE_INTEGER }),
      }),
  },
  'no hint: a push changes nothing': {
    noticedBy: { google: 1, microsoft: 2 },
    storage: (storage) => ({ ...storage, schedule: { ...storage.schedule, hint: async () => 0 } }),
  },
  'removals skipped': { noticedBy: { google: 4, microsoft: 69 }, fetch: withoutRemovals },
  're-read list dropped': {
    noticedBy: { google: 5, microsoft: 737 },
    storage: (storage) => withMirror(storage, { listRereads: async () => [] }),
  },
};

function withMirror(storage: Storage, replaced: Partial<MirrorStore>): Storage {
  return { ...storage, mirror: { ...storage.mirror, ...replaced } };
}

/** Takes `@removed` out of Graph's answers, and cancelled events out of Google's. */
function withoutRemovals(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const isList = response.ok && (init?.method ?? 'GET') === 'GET';
    if (!isList) return response;
    const body: Json = await response.json();
    const isLeft = (item: Json) => item['@removed'] === undefined && item.status !== 'cancelled';
    for (const list of ['value', 'items']) {
      if (Array.isArray(body[list])) body[list] = body[list].filter(isLeft);
    }
    return Response.json(body, { status: response.status });
  };
}

import type { Fetch, MirrorStore, Storage } from 'kalends/ports';
import type { Json } from './person.ts';
import type { Tampering } from './simulation.ts';

/** The product without one of its precautions each. A simulation that does not notice proves nothing. */
export const BROKEN_VARIANTS: Readonly<Record<string, Tampering>> = {
  'no sweep: what a full listing does not show stays': {
    storage: (storage) => withMirror(storage, { listUnseen: async () => [] }),
  },
  'no fence: a process that lost its lease may commit': {
    storage: (storage) =>
      withMirror(storage, {
        commit: (key, { lease: _lease, ...commit }) => storage.mirror.commit(key, commit),
      }),
  },
  'no guard: an old answer overwrites newer knowledge': {
    storage: (storage) =>
      withMirror(storage, {
        commit: (key, commit) => storage.mirror.commit(key, { ...commit, basedOn: Number.MAX_SAFE_INTEGER }),
      }),
  },
  'no hint: a push changes nothing': {
    storage: (storage) => ({ ...storage, schedule: { ...storage.schedule, hint: async () => 0 } }),
  },
  'removals skipped': { fetch: withoutRemovals },
  're-read list dropped': {
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

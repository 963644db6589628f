import type { Intercept } from '../regression/intercepted-world.ts';
import type { Json } from './world.ts';

/** Changes one object of a provider's answers on its way. Undefined takes the object out of lists. */
export type Distortion = (wire: Json) => unknown;

/** Objects that the provider shows distorted, by id. */
export interface DistortedAnswers {
  readonly byId: Map<string, Distortion>;
  /** Distorts the answers to reads; those to writes pass unless `distortsWrites` is set. */
  readonly intercept: Intercept;
  distortsWrites: boolean;
}

/** Plants unreadable objects among the good ones of a provider, whatever request shows them. */
export function distortedAnswers(): DistortedAnswers {
  const byId = new Map<string, Distortion>();
  const self: DistortedAnswers = {
    byId,
    distortsWrites: false,
    async intercept(request, pass) {
      const response = await pass();
      const isJson = (response.headers.get('content-type') ?? '').includes('json');
      if (byId.size === 0 || !isJson || (request.method !== 'GET' && !self.distortsWrites)) return response;
      const text = await response.text();
      const body = text === '' ? text : JSON.stringify(distorted(JSON.parse(text), byId));
      const headers = new Headers(response.headers);
      headers.delete('content-length');
      return new Response(body, { status: response.status, headers });
    },
  };
  return self;
}

function distorted(value: Json, byId: ReadonlyMap<string, Distortion>): unknown {
  if (Array.isArray(value)) return value.map((item) => distorted(item, byId)).filter((item) => item !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, distorted(item, byId)]));
  return byId.get(value.id)?.(inner) ?? inner;
}

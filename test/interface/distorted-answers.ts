import type { Intercept } from '../regression/intercepted-world.ts';
import type { Json } from './world.ts';

/** Changes one object of a provider's answers on its way. Undefined takes the object out of lists. */
export type Distortion = (wire: Json) => unknown;

/** Several objects in the place of one, where a provider lists an object twice. */
export class Several {
  constructor(readonly objects: readonly unknown[]) {}
}

/** Objects that the provider shows distorted, by id. */
export interface DistortedAnswers {
  readonly byId: Map<string, Distortion>;
  /** Distorts the answers to reads; those to writes pass unless `distortsWrites` is set. */
  readonly intercept: Intercept;
  distortsWrites: boolean;
  /** Distorts the answers that show a newly created object. */
  ofCreation: Distortion | undefined;
  /** Answers that were changed. */
  readonly distorted: number;
}

/** Plants unreadable objects among the good ones of a provider, whatever request shows them. */
export function distortedAnswers(): DistortedAnswers {
  const byId = new Map<string, Distortion>();
  let distorted = 0;
  const self: DistortedAnswers = {
    byId,
    distortsWrites: false,
    ofCreation: undefined,
    get distorted() {
      return distorted;
    },
    async intercept(request, pass) {
      const response = await pass();
      const isJson = (response.headers.get('content-type') ?? '').includes('json');
      const isRead = request.method === 'GET';
      const isCreation = request.method === 'POST' && response.ok && self.ofCreation !== undefined;
      if (!isJson || !response.ok || !(isCreation || (byId.size > 0 && (isRead || self.distortsWrites))))
        return response;
      const text = await response.text();
      const json = text === '' ? undefined : JSON.parse(text);
      const shown = isCreation && json !== undefined ? self.ofCreation?.(json) : distortedValue(json, byId);
      const body = shown === undefined ? '' : JSON.stringify(shown instanceof Several ? shown.objects.at(-1) : shown);
      if (body !== text) distorted += 1;
      const headers = new Headers(response.headers);
      headers.delete('content-length');
      return new Response(body, { status: response.status, headers });
    },
  };
  return self;
}

function distortedValue(value: Json, byId: ReadonlyMap<string, Distortion>): unknown {
  if (Array.isArray(value)) {
    return value
      .map((item) => distortedValue(item, byId))
      .flatMap((item) => (item instanceof Several ? item.objects : [item]))
      .filter((item) => item !== undefined);
  }
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, distortedValue(item, byId)]));
  const distortion = byId.get(value.id);
  return distortion === undefined ? inner : distortion(inner);
}

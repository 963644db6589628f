import type { CalendarEvent, EditScope } from 'kalends/model';
import { expect } from 'vitest';
import { eventsPath, query, readAll } from '../../interface/steps.ts';
import { createWorld, type Json, type ProviderName, type World } from '../../interface/world.ts';

/** The whole product over one provider's sandbox, and one person's calendar in it. */
export interface ScopedWorld {
  readonly world: World;
  create(body: unknown): Promise<CalendarEvent>;
  get(id: string): Promise<CalendarEvent>;
  put(id: string, body: unknown, scope?: EditScope, ifMatch?: string): Promise<CalendarEvent>;
  remove(id: string, scope?: EditScope, ifMatch?: string): Promise<void>;
  list(parameters: Readonly<Record<string, string>>): Promise<readonly CalendarEvent[]>;
  /** Pulls from the provider and expects nothing new. */
  expectSynced(): Promise<void>;
  close(): Promise<void>;
}

/** A refusal of the interface. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly paths: readonly string[];

  constructor(status: number, problem: Json) {
    super(problem.detail);
    this.status = status;
    this.code = problem.code;
    this.paths = (problem.details ?? []).map((detail: Json) => detail.path);
  }
}

export async function createScopedWorld(provider: ProviderName): Promise<ScopedWorld> {
  const world = await createWorld();
  const place = await world.connect(provider);

  async function call(method: string, path: string, options: { body?: unknown; ifMatch?: string | undefined } = {}) {
    const { body, ifMatch } = options;
    const headers: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch };
    const answer = await world.call(method, path, { headers, ...(body === undefined ? {} : { body }) });
    if (answer.status >= 400) throw new Refusal(answer.status, answer.body);
    return answer.body;
  }

  return {
    world,
    create: (body) => call('POST', eventsPath(place), { body }),
    get: (id) => call('GET', eventsPath(place, id)),
    put: (id, body, scope, ifMatch) => call('PUT', eventsPath(place, id) + query({ scope }), { body, ifMatch }),
    remove: (id, scope, ifMatch) => call('DELETE', eventsPath(place, id) + query({ scope }), { ifMatch }),
    list: async (parameters) => (await readAll(world, eventsPath(place), { limit: 1000, ...parameters })).data,
    async expectSynced() {
      const pull = () => call('GET', eventsPath(place, 'nothing')).catch(() => undefined);
      // The first one may still bring what the provider itself does after a write.
      await pull();
      const { nextSyncToken } = await readAll(world, eventsPath(place));
      await pull();
      expect(await call('GET', eventsPath(place) + query({ syncToken: nextSyncToken }))).toMatchObject({ data: [] });
    },
    close: () => world.close(),
  };
}

import { systemRandom } from 'kalends/runtime';
import { expect } from 'vitest';
import type { Answer, Fleet } from './fleet.ts';

export interface Listed {
  readonly id: string;
  readonly title?: string;
  readonly isDeleted?: boolean;
}

export type Query = Readonly<Record<string, string>>;

/** Every page of a list. @throws Error for any answer but 200; with `status` */
async function listAll(fleet: Fleet, events: string, query: Query) {
  const data: Listed[] = [];
  let parameters = query;
  for (;;) {
    const { status, body } = await fleet.ask(`${events}?${new URLSearchParams(parameters)}`);
    if (status !== 200) throw Object.assign(new Error(JSON.stringify(body)), { status });
    data.push(...body.data);
    if (body.nextPageToken === undefined) return { data, token: String(body.nextSyncToken) };
    parameters = { pageToken: body.nextPageToken };
  }
}

export async function freshList(fleet: Fleet, events: string, query: Query): Promise<readonly Listed[]> {
  return (await listAll(fleet, events, query)).data.sort(byId);
}

/** A client that lives on sync results. */
export function createFollower(fleet: Fleet, events: string, query: Query) {
  const held = new Map<string, Listed>();
  let token: string | undefined;
  return {
    async follow(): Promise<void> {
      const sync = await listAll(fleet, events, token === undefined ? query : { syncToken: token, limit: '3' });
      token = sync.token;
      for (const record of sync.data) {
        if (record.isDeleted) held.delete(record.id);
        else held.set(record.id, record);
      }
    },
    held: () => [...held.values()].sort(byId),
  };
}

/** A client that writes events of its own, and knows what it has been told of them. */
export function createWriter(fleet: Fleet, events: string, name: string) {
  /** Titles that have been acknowledged, by the event's id. */
  const titles = new Map<string, string>();
  let made = 0;
  const path = (id: string) => `${events}/${encodeURIComponent(id)}`;
  const below = (count: number) => Math.floor(systemRandom.fraction() * count);

  const create = async () => {
    const title = `${name} ${made}`;
    const start = { dateTime: `2026-0${3 + below(3)}-1${below(10)}T09:00:00`, timeZone: 'Europe/Berlin' };
    const recurrence = below(3) === 0 ? { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] } : {};
    const body = { title, start, ...recurrence };
    // Asked twice, it is made once.
    const { body: event } = expectStatus(await fleet.ask(events, { method: 'POST', body, idempotencyKey: title }), 201);
    titles.set(event.id, title);
  };
  const update = async (id: string) => {
    const title = `${name} ${made}`;
    expectStatus(await fleet.ask(path(id), { method: 'PUT', body: { title } }), 200);
    titles.set(id, title);
  };
  const remove = async (id: string) => {
    // 404: who deleted it was killed before it could say so.
    expectStatus(await fleet.ask(path(id), { method: 'DELETE' }), 200, 404);
    titles.delete(id);
  };
  return {
    titles,
    async write(): Promise<void> {
      made += 1;
      const id = [...titles.keys()][below(titles.size)];
      const dice = systemRandom.fraction();
      if (id === undefined || dice < 0.5) await create();
      else if (dice < 0.8) await update(id);
      else await remove(id);
    },
  };
}

function expectStatus(answer: Answer, ...expected: readonly number[]): Answer {
  expect(expected, JSON.stringify(answer)).toContain(answer.status);
  return answer;
}

export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { createId, parseSecrets, systemRandom } from 'kalends/runtime';
import { describe, expect, it } from 'vitest';
import { createChannelTokens } from '../../src/channels/channel-token.ts';
import { BASE_URL, createWorld, type World } from '../interface/world.ts';

const AUTHORIZE = '/v1/oauth/authorize';
const ANONYMOUS_FLOWS = 12_000;

async function begin(world: World) {
  const url = `${AUTHORIZE}/${world.applicationId}/provider_a?loginHint=person@google.example`;
  const answer = await world.call('GET', url, { key: null });
  expect(answer.status).toBe(302);
  const cookies = answer.headers.getSetCookie().map((text) => text.split(';')[0]);
  return { location: new URL(answer.headers.get('location') ?? ''), cookie: cookies.join('; ') };
}

/** The person allows everything; resolves with the path and query of the callback. */
async function consent(world: World, location: URL): Promise<string> {
  const form = new URLSearchParams([
    ...location.searchParams,
    ['mailbox', 'person@google.example'],
    ['decision', 'allow'],
  ]);
  const request = new Request(new URL(location.pathname, location), { method: 'POST', body: form });
  const back = (await world.sandbox.fetch(request)).headers.get('location') ?? '';
  return back.slice(BASE_URL.length);
}

describe('anonymous authorizations', () => {
  it('end no consent that is under way', async () => {
    const world = await createWorld();
    world.sandbox.google.addMailbox({ email: 'person@google.example', name: 'Person', timeZone: 'UTC' });
    const person = await begin(world);
    for (let count = 0; count < ANONYMOUS_FLOWS; count += 100) {
      await Promise.all(Array.from({ length: 100 }, () => begin(world)));
    }
    const back = await world.call('GET', await consent(world, person.location), {
      key: null,
      headers: { cookie: person.cookie },
    });
    expect(back.status).toBe(302);
    expect(new URL(back.headers.get('location') ?? '').searchParams.has('endUserAccountId')).toBe(true);
    await world.close();
  });
});

interface Flood {
  readonly connections: number;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly localAddress: string;
  readonly body?: string;
  readonly pauseMs?: number;
  readonly forwarded?: boolean;
}

interface Told {
  readonly statuses: Readonly<Record<string, number>>;
  readonly medianMs: number;
  readonly requests: number;
}

/** Begins requests of another thread; the result ends them and tells what came of them. */
function flood(port: number, options: Flood): () => Promise<Told> {
  const worker = new Worker(new URL('flood-worker.js', import.meta.url), { workerData: { port, ...options } });
  return async () => {
    const told = once(worker, 'message');
    worker.postMessage('stop');
    const [result] = await told;
    await worker.terminate();
    return result as Told;
  };
}

const SECONDS = 8;
const FORGED = JSON.stringify({
  value: Array.from({ length: 1_000 }, (_, index) => ({
    subscriptionId: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    clientState: `chn_${String(index).padStart(22, '0')}.${'A'.repeat(43)}`,
    changeType: 'updated',
    resourceData: { id: `event${index}` },
  })),
});

describe('forged notifications, 1,000 items each, over 60 connections', () => {
  it.each([
    ['from one address', false],
    ['from many addresses', true],
  ])('%s do not slow down other callers', async (_name, forwarded) => {
    const world = await createWorld();
    const handler = createHandler(world.engine, forwarded ? { trustProxy: 1, basePath: '' } : { basePath: '' });
    const server = createServer(nodeListener(handler)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const honest: Flood = {
      connections: 2,
      pauseMs: 5,
      method: 'GET',
      path: '/v1/endUserAccounts',
      headers: { 'x-api-key': world.apiKey },
      localAddress: '127.0.0.2',
    };
    const before = flood(port, honest);
    await setTimeout(2_000);
    const quiet = await before();
    const json = { 'content-type': 'application/json' };
    const attack = flood(port, {
      connections: 60,
      method: 'POST',
      path: '/v1/push/provider_b',
      headers: json,
      body: FORGED,
      localAddress: '127.0.0.1',
      forwarded,
    });
    const people = flood(port, honest);
    const channelId = createId(systemRandom, 'chn');
    const token = createChannelTokens(parseSecrets(Buffer.alloc(32, 7).toString('base64'))).issue(channelId);
    const genuine = flood(port, {
      connections: 1,
      pauseMs: 20,
      method: 'POST',
      path: '/v1/push/provider_a',
      headers: { 'x-goog-channel-id': channelId, 'x-goog-resource-state': 'exists', 'x-goog-channel-token': token },
      localAddress: '127.0.0.3',
    });
    const stalls = monitorEventLoopDelay({ resolution: 5 });
    stalls.enable();
    await setTimeout(SECONDS * 1_000);
    stalls.disable();
    const [attackers, served, provider] = await Promise.all([attack(), people(), genuine()]);
    const [p99, longest] = [stalls.percentile(99) / 1e6, stalls.max / 1e6];
    console.info('floods', { quiet, attackers, served, provider, p99, longest });
    expect(Object.keys(served.statuses)).toEqual(['200']);
    expect(Object.keys(provider.statuses)).toEqual(['202']);
    // From one address nearly all are refused unread; from many each has its own allowance.
    const refused = attackers.statuses['429'] ?? 0;
    if (!forwarded) expect(refused).toBeGreaterThan(attackers.requests * 0.8 - 100);
    expect(served.medianMs).toBeLessThan(250);
    server.close();
    server.closeAllConnections();
    await world.close();
  });
});

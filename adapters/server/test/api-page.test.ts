import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { startDev } from '../src/dev/start-dev.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is read as any client reads it
type Json = any;

/** Operations that providers call, and deletions whose id the demo does not have, or refuses to delete. */
const LEFT_OUT = new Set(['receivePush', 'authorizationCallback', 'deleteCalendarSubscription', 'deleteCalendar']);

/** Runs the start script of a page at `/docs` with a fragment, and returns the key that is filled in and the address afterwards. */
function startedWith(script: string, hash: string): { readonly key: string | undefined; readonly address: string } {
  let key: string | undefined;
  let address = `/docs${hash}`;
  const page = {
    preauthorizeApiKey(_name: string, value: string) {
      key = value;
    },
  };
  let complete = () => {};
  const globals = {
    location: { hash, pathname: '/docs', search: '' },
    history: {
      replaceState(_state: null, _title: string, to: string) {
        address = to;
      },
    },
    document: { currentScript: { src: 'http://kalends.test/docs/start.js' } },
    URL,
    SwaggerUIBundle: ({ onComplete }: { readonly onComplete: () => void }) => {
      complete = onComplete;
      return page;
    },
  };
  runInNewContext(script, globals);
  complete();
  return { key, address };
}

/** A running demo, and calls of it as the API page makes them: its examples as they stand, and its key. */
async function openDemo() {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-api-page-'));
  const dev = await startDev({
    folder,
    port: 0,
    sandboxPort: 0,
    database: ':memory:',
    googleIcs: [],
    microsoftIcs: [],
    logLevel: 'warn',
    note: () => undefined,
  });
  onTestFinished(async () => {
    await dev.stop();
    rmSync(folder, { recursive: true });
  });
  const read = async (path: string) => (await fetch(`${dev.siteUrl}${path}`)).text();
  const apiKey = dev.connection.apiKey;
  const script = await read('/docs/start.js');
  expect(startedWith(script, '')).toEqual({ key: apiKey, address: '/docs' });
  expect(startedWith(script, '#apiKey=kal_live_other')).toEqual({ key: 'kal_live_other', address: '/docs' });
  expect(startedWith(script, '#/Events/listEvents')).toEqual({ key: apiKey, address: '/docs#/Events/listEvents' });
  const document = async (): Promise<Json> => JSON.parse(await read('/docs/openapi.json'));

  const play = async (method: string, path: string, operation: Json): Promise<Response | undefined> => {
    const examples = (where: string): readonly [string, string][] =>
      (operation.parameters ?? [])
        .filter((each: Json) => each.in === where && each.example !== undefined)
        .map(({ name, example }: Json) => [name, String(example)]);
    const values = new Map(examples('path'));
    if ([...path.matchAll(/\{(\w+)\}/g)].some(([, name]) => !values.has(String(name)))) return undefined;
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values.get(name) ?? ''));
    // The body of an import is a file, not JSON.
    const [mediaType, content] = Object.entries<Json>(operation.requestBody?.content ?? {})[0] ?? [];
    const example = content?.example;
    return fetch(`${dev.connection.baseUrl}${filled}?${new URLSearchParams([...examples('query')])}`, {
      method,
      redirect: 'manual',
      headers: {
        ...Object.fromEntries(examples('header')),
        'x-api-key': apiKey,
        ...(mediaType !== undefined && example !== undefined ? { 'content-type': mediaType } : {}),
      },
      ...(example === undefined ? {} : { body: typeof example === 'string' ? example : JSON.stringify(example) }),
    });
  };
  return { document, play };
}

it('offers requests that the demo accepts as they stand', { timeout: 60_000 }, async () => {
  const { document, play } = await openDemo();
  const connect = (await document()).paths['/v1/endUserAccounts'].post;
  expect((await play('post', '/v1/endUserAccounts', connect))?.status).toBe(201);

  const { info, paths } = await document();
  expect(info.description).not.toContain('No mailbox');
  const operations = Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ method, path, operation })),
  );
  // Deletions last, of what the others need.
  const ordered = operations.toSorted((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));
  const played: string[] = [];
  const refused: string[] = [];
  for (const { method, path, operation } of ordered) {
    if (LEFT_OUT.has(operation.operationId)) continue;
    const answer = await play(method, path, operation);
    if (answer === undefined) continue;
    played.push(operation.operationId);
    if (answer.status >= 400) refused.push(`${operation.operationId}: ${answer.status} ${await answer.text()}`);
  }
  expect(refused).toEqual([]);
  expect(played).toEqual(
    expect.arrayContaining([
      'listEvents',
      'createEvent',
      'createCalendar',
      'createHold',
      'queryFreeBusy',
      'createWebhookEndpoint',
    ]),
  );
  expect(played.length).toBeGreaterThan(15);
});

it('leaves ids to be filled in that the demo does not have yet', async () => {
  const { document } = await openDemo();
  const { info, paths } = await document();
  expect(info.description).toContain('No mailbox is connected yet');
  const [id] = paths['/v1/endUserAccounts/{id}'].get.parameters;
  expect(id).toMatchObject({ name: 'id' });
  expect(id).not.toHaveProperty('example');
});

import { setMaxListeners } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { guardedFetch, isAddressRefused, type LookupAll } from '../../src/network/guarded-fetch.ts';
import { openReceiver } from '../webhooks/receiver.ts';

const refusedBy = async (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => false,
    (error: unknown) => isAddressRefused(error),
  );

/** Resolves every name to one address. */
const resolving =
  (address: string): LookupAll =>
  (_host, _options, callback) =>
    callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);

it('dials no private address: a literal, a name, nor one behind a redirect', async () => {
  const receiver = await openReceiver();
  const { port } = new URL(receiver.url);
  const fetch = guardedFetch();
  for (const url of [`http://127.0.0.1:${port}/`, `http://[::ffff:127.0.0.1]:${port}/`, 'https://10.0.0.1/']) {
    expect([url, await refusedBy(fetch(url))]).toEqual([url, true]);
  }
  const byName = guardedFetch({ lookup: resolving('169.254.169.254') });
  expect(await refusedBy(byName('https://metadata.example/'))).toBe(true);
  expect(receiver.received).toEqual([]);

  const opened = guardedFetch({ allowedNetworks: ['127.0.0.1/32'] });
  receiver.answer = (_request, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
  expect((await opened(receiver.url)).status).toBe(302);
  expect(await refusedBy(opened(receiver.url, { redirect: 'follow' }))).toBe(true);
});

it('speaks http to an opened network alone, with any method and body', async () => {
  const receiver = await openReceiver();
  receiver.answer = (_request, response) => response.writeHead(207, { dav: '1' }).end('<a/>');
  const fetch = guardedFetch({ allowedNetworks: ['127.0.0.0/8'] });
  const response = await fetch(receiver.url, { method: 'PROPFIND', headers: { depth: '0' }, body: '<b/>' });
  expect([response.status, response.headers.get('dav'), await response.text()]).toEqual([207, '1', '<a/>']);
  expect(receiver.received).toMatchObject([{ body: '<b/>', headers: { depth: '0' } }]);
  const elsewhere = guardedFetch({ allowedNetworks: ['127.0.0.0/8'], lookup: resolving('93.184.216.34') });
  expect(await refusedBy(elsewhere('http://plain.example/'))).toBe(true);
});

it('gives up when the signal says so', async () => {
  const receiver = await openReceiver();
  const controller = new AbortController();
  receiver.answer = () => controller.abort(new Error('enough'));
  const fetch = guardedFetch({ allowedNetworks: ['127.0.0.0/8'] });
  // As the engine's own signals, which many requests listen to.
  setMaxListeners(0, controller.signal);
  await expect(fetch(receiver.url, { signal: controller.signal })).rejects.toThrow('enough');
  onTestFinished(() => controller.abort());
});

it('refuses other protocols, and networks that are none', async () => {
  await expect(guardedFetch()('file:///etc/passwd')).rejects.toThrow('file:');
  await expect(guardedFetch()(new Request('https://example.com/'))).rejects.toThrow('takes a URL');
  expect(() => guardedFetch({ allowedNetworks: ['loopback'] })).toThrow(/CIDR/);
});

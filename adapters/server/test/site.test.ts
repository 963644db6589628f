import type { Handler } from '@kalends/http';
import { expect, it } from 'vitest';
import { createSite } from '../src/site.ts';

const api: Handler = Object.assign(async () => new Response('interface'), { root: '/v1', matches: () => true });
const site = createSite(api);
const get = (path: string) => site(new Request(`http://kalends.test${path}`));

it.each([
  '/',
  '/connected?error=x',
  '/docs',
  '/docs/',
])('serves %s to no frame, and without scripts in the page', async (path) => {
  const answer = await get(path);
  expect(answer.status).toBe(200);
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  expect(answer.headers.get('x-frame-options')).toBe('DENY');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await answer.text()).not.toMatch(/<script(?![^>]*src=)|persistAuthorization/);
});

it.each(['', '/cal'])('has addresses of its own mount, behind a proxy that removes "%s"', async (prefix) => {
  const dashboard: Handler = Object.assign(async () => new Response('operators'), {
    root: '/dashboard',
    matches: () => false,
  });
  const home = await createSite(api, { apiPath: '/interface/v2', dashboard })(new Request('http://kalends.test/'));
  const links = [...(await home.text()).matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
  expect(links.slice(1).map((href) => new URL(href, `http://kalends.test${prefix}/`).pathname)).toEqual(
    ['/dashboard', '/docs', '/interface/v2/v1/openapi.json'].map((path) => prefix + path),
  );
  const [, documentUrl = ''] = /new URL\("([^"]*)"/.exec(await (await get('/docs/start.js')).text()) ?? [];
  expect(new URL(documentUrl, `http://kalends.test${prefix}/docs/start.js`).pathname).toBe(
    `${prefix}/api/v1/openapi.json`,
  );
});

it('starts the API page from a file that keeps no key', async () => {
  const answer = await get('/docs/start.js');
  expect(answer.headers.get('content-type')).toContain('text/javascript');
  const script = await answer.text();
  expect(script).toContain('api/v1/openapi.json"');
  expect(script).not.toContain('persistAuthorization');
});

it('says what the dashboard needs where there is none', async () => {
  const answer = await get('/dashboard');
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('KALENDS_ADMIN_TOKEN')]);
  const dashboard: Handler = Object.assign(async () => new Response(''), { root: '/dashboard', matches: () => false });
  const other = await createSite(api, { dashboard })(new Request('http://kalends.test/other'));
  expect(await other.text()).not.toContain('KALENDS_ADMIN_TOKEN');
});

it.each(['/docs/start.js', '/nowhere'])('lets no browser guess what %s is', async (path) => {
  expect((await get(path)).headers.get('x-content-type-options')).toBe('nosniff');
});

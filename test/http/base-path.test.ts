import { createDocsPage, createHandler, type DocsPageOptions, type Handler, type HandlerOptions } from '@kalends/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../interface/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { background: false });
});
afterAll(() => world.close());

const status = async (options: HandlerOptions, path: string) => {
  const handler = createHandler(world.engine, { failureLimit: false, ...options });
  const { status: answered } = await handler(new Request(`https://app.test${path}`));
  expect(handler.matches(path)).toBe(answered !== 404);
  return answered;
};

// 401 is the interface's: no key is sent.
describe('a host or proxy that strips the prefix, and one that does not', () => {
  it.each<[title: string, HandlerOptions, paths: readonly string[]]>([
    ['basePath', { basePath: '/calendar' }, ['/calendar/v1/endUserAccounts', '/v1/endUserAccounts']],
    ['basePath with a slash', { basePath: '/calendar/' }, ['/calendar/v1/endUserAccounts', '/v1/endUserAccounts']],
    [
      'the path of publicUrl',
      { publicUrl: 'https://app.test/outer/calendar' },
      ['/outer/calendar/v1/endUserAccounts', '/v1/endUserAccounts'],
    ],
    [
      'basePath rather than the path of publicUrl',
      { publicUrl: 'https://app.test/outer/calendar', basePath: '/calendar' },
      ['/calendar/v1/endUserAccounts', '/v1/endUserAccounts'],
    ],
    ['no prefix', { publicUrl: 'https://app.test' }, ['/v1/endUserAccounts']],
    [
      'letters that URLs escape',
      { publicUrl: 'https://app.test/kalender-größe' },
      ['/kalender-größe/v1/endUserAccounts', '/kalender-gr%C3%B6%C3%9Fe/v1/endUserAccounts', '/v1/endUserAccounts'],
    ],
    [
      'a prefix with the name of the root of the interface',
      { publicUrl: 'https://app.test/v1' },
      ['/v1/v1/endUserAccounts', '/v1/endUserAccounts'],
    ],
    [
      'the same as basePath',
      { basePath: '/größe' },
      ['/größe/v1/endUserAccounts', '/gr%c3%b6%c3%9fe/v1/endUserAccounts'],
    ],
  ])('%s', async (_title, options, paths) => {
    for (const path of paths) expect([path, await status(options, path)]).toEqual([path, 401]);
  });

  it.each([
    '/calendars/v1/endUserAccounts',
    '/calendar/calendar/v1/endUserAccounts',
    '/calendarv1/endUserAccounts',
    '/other/v1/endUserAccounts',
    '/calendar',
    '/calendar/',
    '/calendar/about',
  ])('%s is not the interface', async (path) => {
    expect(await status({ basePath: '/calendar' }, path)).toBe(404);
  });

  it.each(['calendar', 'https://app.test/calendar'])('refuses "%s" as basePath', (basePath) => {
    const refusal = `basePath is "${basePath}"; it must begin with a slash`;
    expect(() => createHandler(world.engine, { basePath })).toThrow(refusal);
    expect(() => createDocsPage({ basePath })).toThrow(refusal);
  });
});

describe('the docs page', () => {
  const read = async (page: Handler, path: string, method = 'GET') => {
    const response = await page(new Request(`https://app.test${path}`, { method }));
    return { status: response.status, text: await response.text(), headers: response.headers };
  };

  it.each<[title: string, DocsPageOptions, path: string]>([
    ['at the root', {}, '/docs'],
    ['under a prefix', { basePath: '/calendar' }, '/calendar/docs'],
    ['under a prefix that is stripped', { basePath: '/calendar' }, '/docs'],
    ['elsewhere', { path: '/help/interface' }, '/help/interface'],
  ])('finds its files and its document %s', async (_title, options, path) => {
    const page = createDocsPage(options);
    const mount = path.slice(0, -(options.path ?? '/docs').length);
    for (const address of [path, `${path}/`]) {
      expect(page.matches(address)).toBe(true);
      const { status, text } = await read(page, address);
      expect(status).toBe(200);
      const files = [...text.matchAll(/(?:src|href)="([^":]+)"/g)].map(
        ([, file = '']) => new URL(file, `https://app.test${address}`).pathname,
      );
      expect(files).toEqual([`${path}/swagger-ui.css`, `${path}/swagger-ui-bundle.js`, `${path}/start.js`]);
      for (const file of files) expect([file, page.matches(file)]).toEqual([file, true]);
    }
    const script = await read(page, `${path}/start.js`);
    const [, document = ''] = /new URL\("([^"]+)"/.exec(script.text) ?? [];
    expect(new URL(document, `https://app.test${path}/start.js`).pathname).toBe(`${mount}/v1/openapi.json`);
  });

  it('answers nothing else, and reads only', async () => {
    const page = createDocsPage();
    for (const path of ['/', '/docs/other.js', '/docs/constructor', '/docs.js']) {
      expect([path, page.matches(path), (await read(page, path)).status]).toEqual([path, false, 404]);
    }
    expect((await read(page, '/docs', 'POST')).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect((await read(page, '/docs', 'POST')).status).toBe(405);
    expect((await read(page, '/docs', 'HEAD')).status).toBe(200);
  });

  it.each(['', '/', 'docs', '/docs/', '/docs?x'])('refuses "%s" as its path', (path) => {
    expect(() => createDocsPage({ path })).toThrow(`path of the docs page is "${path}"; it must have the form "/docs"`);
  });

  it.each([
    ['documentURL', { documentURL: '/openapi.json' }, 'is not an option; did you mean documentUrl?'],
    ['documentUrl', { documentUrl: 5 }, 'must be a text'],
  ])('refuses %s: %j', (path, options, message) => {
    expect(() => createDocsPage(options as never)).toThrow(
      expect.objectContaining({ code: 'InvalidRequest', details: [{ path, message }] }),
    );
  });
});

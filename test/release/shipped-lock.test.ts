import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bundledWorks } from '../../scripts/release/redistributed-works.js';
import { shippedLock } from '../../scripts/release/shipped-lock.js';

type Entry = Readonly<Record<string, unknown>>;

const shippedOf = (packages: Record<string, Entry>, folder: string, works?: Record<string, string[]>) =>
  shippedLock({ packages }, folder, works).lock.packages as Record<string, Entry>;

describe('a shipped lock', () => {
  const version = '1.0.0';
  const packages = {
    '': {
      name: 'core',
      version,
      workspaces: ['.', 'adapters/*'],
      dependencies: { a: version },
      devDependencies: { dev: version },
    },
    'adapters/one': {
      name: '@core/one',
      version,
      dependencies: { b: version },
      peerDependencies: { core: version, pick: version },
      peerDependenciesMeta: { pick: { optional: true } },
    },
    'adapters/one/node_modules/b': { version, dependencies: { a: version, c: version } },
    'node_modules/@core/one': { link: true, resolved: 'adapters/one' },
    'node_modules/core': { link: true, resolved: '' },
    'node_modules/a': { version },
    'node_modules/b': { version: '2.0.0' },
    'node_modules/c': { version, optionalDependencies: { absent: version, d: version } },
    'node_modules/c/node_modules/d': { version },
    'node_modules/d': { version: '2.0.0' },
    'node_modules/dev': { version, dev: true, dependencies: { a: version } },
    'node_modules/pick': { version },
    'node_modules/work': { version, dev: true, integrity: 'sha512-AAAA', dependencies: { dev: version } },
  };

  it('has no development tools, but what both they and the package need', () => {
    const { '': root, ...rest } = shippedOf(packages, '');
    expect(rest).toEqual({ 'node_modules/a': { version } });
    expect(root).toEqual({ name: 'core', version, dependencies: { a: version } });
  });

  it('has the copies that Node would find, peers, and optional packages that exist', () => {
    expect(Object.keys(shippedOf(packages, 'adapters/one'))).toEqual([
      '',
      'node_modules/a',
      'node_modules/b',
      'node_modules/c',
      'node_modules/c/node_modules/d',
      'node_modules/core',
    ]);
    expect(shippedOf(packages, 'adapters/one')['node_modules/b']).toMatchObject({ version });
  });

  it('keeps the copies of another package of ours below it', () => {
    const root = { ...packages[''], dependencies: { '@core/one': version } };
    expect(Object.keys(shippedOf({ ...packages, '': root }, ''))).toEqual([
      '',
      'node_modules/@core/one',
      'node_modules/@core/one/node_modules/b',
      'node_modules/a',
      'node_modules/c',
      'node_modules/c/node_modules/d',
    ]);
  });

  it('lists redistributed works as bundled in their holder, without dependencies of their own', () => {
    const works = { core: ['work'] };
    const shipped = shippedOf(packages, 'adapters/one', works);
    expect(shipped['node_modules/core/node_modules/work']).toEqual({
      version,
      integrity: 'sha512-AAAA',
      inBundle: true,
    });
    expect(shipped['node_modules/core']).toMatchObject({
      bundleDependencies: ['work'],
      dependencies: { work: version },
    });
    expect(shipped).not.toHaveProperty(['node_modules/work']);
    expect(shippedOf(packages, '', works)).toHaveProperty(['node_modules/work']);
  });

  it('is refused when the lock lacks a required package, a work, or room for two versions', () => {
    const { 'node_modules/c': _, ...without } = packages;
    expect(() => shippedOf(without, 'adapters/one')).toThrow(
      'the lock has no c, which adapters/one/node_modules/b requires',
    );
    expect(() => shippedOf(packages, '', { core: ['gone'] })).toThrow(
      'the lock has no gone, whose files are redistributed',
    );
    const root = { ...packages[''], dependencies: { b: version } };
    expect(() => shippedOf({ ...packages, '': root }, 'adapters/one')).toThrow('node_modules/b would hold both');
  });
});

describe('the lock of this repository', () => {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
  const folders = Object.keys(lock.packages).filter((path) => !path.includes('node_modules/'));

  it.each(folders)('ships of "%s" no development tool, no telemetry and one install script at most', (folder) => {
    const { '': root, ...entries } = shippedOf(lock.packages, folder);
    const declared = JSON.parse(readFileSync(new URL(`../../${folder}/package.json`, import.meta.url), 'utf8'));
    expect(root?.dependencies).toEqual(declared.dependencies);
    expect(Object.keys(entries)).toEqual(
      expect.arrayContaining(Object.keys(declared.dependencies ?? {}).map((name) => `node_modules/${name}`)),
    );
    const problems = Object.entries(entries).filter(
      ([path, { dev, hasInstallScript }]) =>
        dev || (hasInstallScript && path !== 'node_modules/@photostructure/sqlite'),
    );
    expect(problems).toEqual([]);
    expect(entries).not.toHaveProperty(['node_modules/swagger-ui-dist']);
  });

  it('lists the libraries of the page, swagger-ui inside @kalends/http, and the data of CLDR inside the core', () => {
    const entries = shippedOf(lock.packages, 'adapters/server', bundledWorks());
    const bundled = Object.keys(entries).filter((path) => entries[path]?.inBundle);
    expect(bundled).toEqual([
      ...[
        '@event-calendar/core',
        '@preact/signals',
        '@preact/signals-core',
        '@tanstack/virtual-core',
        'preact',
        'preact-iso',
        'svelte',
        'uplot',
      ].map((name) => `node_modules/@kalends/dashboard/node_modules/${name}`),
      'node_modules/@kalends/http/node_modules/swagger-ui-dist',
      'node_modules/kalends/node_modules/cldr-core',
    ]);
  });
});

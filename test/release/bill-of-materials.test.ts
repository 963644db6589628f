import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { billOfMaterials, billProblems } from '../../scripts/release/bill-of-materials.js';
import { bundledWorks } from '../../scripts/release/redistributed-works.js';
import { shippedLock } from '../../scripts/release/shipped-lock.js';

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
const shipped = shippedLock(lock, 'adapters/http', bundledWorks());
const bill = billOfMaterials(shipped);
const purls = (list: readonly { readonly purl: string }[]) => list.map(({ purl }) => purl);

it('lists exactly what users of @kalends/http get, with hashes and licences', () => {
  expect(billProblems(bill, shipped.lock)).toEqual([]);
  expect(bill.metadata.component).toMatchObject({
    name: '@kalends/http',
    purl: expect.stringContaining('%40kalends/http@'),
  });
  expect(bill.components).toHaveLength(Object.keys(shipped.lock.packages).length - 1);
  // zod and hono are also needed by development tools.
  for (const name of ['zod', 'hono', 'kalends', 'swagger-ui-dist', 'cldr-core']) {
    expect(purls(bill.components)).toContainEqual(expect.stringContaining(`pkg:npm/${name}@`));
  }
  expect(bill.components).toContainEqual(
    expect.objectContaining({
      name: 'swagger-ui-dist',
      properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }],
      hashes: [expect.objectContaining({ alg: 'SHA-512' })],
      licenses: [{ license: { id: 'Apache-2.0' } }],
    }),
  );
});

const hono = bill.components.find((component: { name: string }) => component.name === 'hono');
const withHono = (change: object | undefined) => ({
  ...bill,
  components: bill.components.flatMap((component: object) =>
    component === hono ? (change === undefined ? [] : [{ ...hono, ...change }]) : [component],
  ),
});
const dev = { ...hono, purl: 'pkg:npm/vitest@4.1.12', 'bom-ref': 'vitest@4.1.12' };

it.each([
  ['another format', { ...bill, bomFormat: 'SPDX' }, ['bomFormat is SPDX, not CycloneDX']],
  [
    'another package',
    { ...bill, metadata: { component: { ...bill.metadata.component, purl: 'pkg:npm/http@1.0.0' } } },
    ['describes pkg:npm/http@1.0.0'],
  ],
  [
    'a missing component',
    withHono(undefined),
    [`${hono.purl} is not listed`, `${hono['bom-ref']} is a dependency, but not listed`],
  ],
  [
    'a development tool',
    { ...bill, components: [...bill.components, dev] },
    [`${dev.purl} is listed, but not shipped`],
  ],
  ['a component without a licence', withHono({ licenses: undefined }), [`${hono.purl} has no licence`]],
  ['a component without a hash', withHono({ hashes: [] }), [`${hono.purl} has no hash`]],
])('refuses %s', (_, changed, problems) => {
  expect(billProblems(changed, shipped.lock)).toEqual(problems);
});

it('is refused by npm for a lock without a required package', () => {
  const { 'node_modules/hono': _, ...packages } = shipped.lock.packages;
  expect(() => billOfMaterials({ ...shipped, lock: { ...shipped.lock, packages } })).toThrow(/missing: hono@/);
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const PAGES = readdirSync(new URL('docs/', ROOT), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
  .concat('README.md');
const SOURCE_PATH = /`((?:src|test|adapters|docs|scripts)\/[\w./-]+)`/g;
const FLOW_STEP = /`((?:accounts|calendars|channels|events|intents|leases|mirror|pull|webhooks)\/[\w/-]+)`/g;

describe('the documents name files that exist', () => {
  test.each(PAGES)('%s', (page) => {
    const text = readFileSync(new URL(page, ROOT), 'utf8');
    const named = [...text.matchAll(SOURCE_PATH)].map(([, path = '']) => path.replace(/\/$/, ''));
    expect(named.filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([]);
  });

  test('the flows of docs/architecture.md', () => {
    const text = readFileSync(new URL('docs/architecture.md', ROOT), 'utf8');
    const steps = [...text.matchAll(FLOW_STEP)].map(([, path = '']) => path);
    expect(steps.length).toBeGreaterThan(10);
    expect(steps.filter((step) => !existsSync(new URL(`src/${step}.ts`, ROOT)))).toEqual([]);
  });
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { DemoWeek } from './demo-week.ts';

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

it('lets a week pass in a minute: accounts, tokens and push channels live on', async () => {
  // A process of its own, as the demo is: the heap and the timers of the files that were tested before cost time too.
  const command = [pathOf('../../../postgres/test/server/run-source.js'), pathOf('demo-week.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  const week = JSON.parse(stdout) as DemoWeek;
  expect(week.quietMs).toBeLessThan(60_000);
  expect(week.accounts).toHaveLength(2);
  for (const { status, expiresInMs } of week.accounts) {
    expect(status).toBe('ACTIVE');
    expect(expiresInMs).toBeGreaterThan(0);
  }
  expect(week.posts).toBeGreaterThanOrEqual(2);
});

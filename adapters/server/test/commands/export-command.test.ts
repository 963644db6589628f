import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CLIENT, openServerWorld } from './server-world.ts';

it('writes a calendar to a file or to standard output, and names what is missing', async () => {
  const world = await openServerWorld('local');
  const run = async (...args: readonly string[]) => {
    const result = await world.run(args, CLIENT.clientSecret);
    expect(result).toMatchObject({ code: 0 });
    return result.stdout;
  };
  const json = async (...args: readonly string[]) => JSON.parse(await run(...args, '--json'));
  const { id: app } = await json('app', 'create', '--name', 'Shop');
  await json('client', 'set', 'PROVIDER_A', '--app', app, '--client-id', CLIENT.clientId);
  const { key } = await json('key', 'create', '--app', app, '--name', 'Backend', '--expires-at', '90d');
  const account = await world.connect(key);
  const place = ['--app', app, '--account', account, '--calendar', 'ada@gmail.example'];
  await world.call(key, 'GET', `events/${account}/ada%40gmail.example`);

  const printed = await world.run(['export', ...place]);
  expect([printed.code, printed.stderr]).toEqual([0, '']);
  expect(printed.stdout).toMatch(/^BEGIN:VCALENDAR\r\n/);
  expect(printed.stdout.match(/SUMMARY:Team sync/g)?.length).toBeGreaterThan(1);
  expect(printed.stdout).toMatch(/END:VCALENDAR\r\n$/);

  const folder = mkdtempSync(join(tmpdir(), 'kalends-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'ada.ics');
  expect(await world.run(['export', ...place, file])).toMatchObject({ code: 0, stdout: '' });
  expect(readFileSync(file, 'utf8')).toBe(printed.stdout);

  const refusals = [
    [['export', ...place.slice(2)], '--app is required; or set KALENDS_APP'],
    [['export', ...place.slice(0, 4)], '--calendar is required'],
    [['export', ...place.slice(0, 5), 'nothing@gmail.example'], 'no such calendar'],
    [['export', ...place, join(folder, 'none', 'x.ics')], 'cannot write'],
    [['export', ...place, file, 'more'], 'Unexpected argument "more"'],
  ] as const;
  for (const [args, message] of refusals) {
    const result = await world.run(args);
    expect([result.code === 0, result.stderr]).toEqual([false, expect.stringContaining(message)]);
  }
});

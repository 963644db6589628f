import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CLIENT, openServerWorld } from './server-world.ts';

it('imports a file, says what became of its events, and names what is missing', async () => {
  const world = await openServerWorld('local');
  const json = async (...args: readonly string[]) => {
    const result = await world.run([...args, '--json'], CLIENT.clientSecret);
    expect(result).toMatchObject({ code: 0 });
    return JSON.parse(result.stdout);
  };
  const { id: app } = await json('app', 'create', '--name', 'Shop');
  await json('client', 'set', 'PROVIDER_A', '--app', app, '--client-id', CLIENT.clientId);
  const { key } = await json('key', 'create', '--app', app, '--name', 'Backend', '--expires-at', '90d');
  const account = await world.connect(key);
  const place = ['--app', app, '--account', account, '--calendar', 'ada@gmail.example'];
  await world.call(key, 'GET', `events/${account}/ada%40gmail.example`);

  await world.start('work');

  const folder = mkdtempSync(join(tmpdir(), 'kalends-import-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'ada.ics');
  const event = (uid: string, ...lines: readonly string[]) => ['BEGIN:VEVENT', `UID:${uid}`, ...lines, 'END:VEVENT'];
  const lines = [...event('good', 'DTSTART:20260301T090000Z', 'SUMMARY:Good'), ...event('bad', 'DTSTART:soon')];
  writeFileSync(file, ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n'));
  const expected = '0 waiting, 1 created, 0 updated, 0 unchanged, 1 refused';
  for (const flags of [['--dry-run'], []]) {
    const { code, stdout } = await world.run(['import', file, ...place, ...flags]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^finished: ${expected}\nbad\tDTSTART\t`))]);
  }
  const refusals = [
    [['import', ...place], 'FILE is required'],
    [['import', file, ...place.slice(2)], '--app is required; or set KALENDS_APP'],
    [['import', join(folder, 'none.ics'), ...place], 'cannot read'],
  ] as const;
  for (const [args, message] of refusals) {
    const result = await world.run(args);
    expect([result.code === 0, result.stderr]).toEqual([false, expect.stringContaining(message)]);
  }
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CLIENT, openServerWorld } from './server-world.ts';

it('finds when people can meet, explains a time, and names what is wrong', async () => {
  const world = await openServerWorld('local');
  const json = async (...args: readonly string[]) => {
    const result = await world.run([...args, '--json'], CLIENT.clientSecret);
    expect(result).toMatchObject({ code: 0 });
    return JSON.parse(result.stdout);
  };
  const { id: app } = await json('app', 'create', '--name', 'Shop');
  await json('client', 'set', 'PROVIDER_A', '--app', app, '--client-id', CLIENT.clientId);
  const { key } = await json('key', 'create', '--app', app, '--name', 'Backend', '--expires-at', '90d');
  const endUserAccountId = await world.connect(key);
  await world.call(key, 'GET', `events/${endUserAccountId}/ada%40gmail.example`);

  const folder = mkdtempSync(join(tmpdir(), 'kalends-availability-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const query = {
    startDateTime: '2099-03-01T02:00:00Z',
    endDateTime: '2099-03-01T04:00:00Z',
    timeZone: 'UTC',
    durationMinutes: 60,
    stepMinutes: 60,
    limit: 5,
    participants: [
      { id: 'ada', accounts: [{ endUserAccountId, calendarIds: ['ada@gmail.example'] }] },
      { id: 'ben', busy: [{ startDateTime: '2099-03-01T02:00:00Z', endDateTime: '2099-03-01T02:30:00Z' }] },
    ],
  };
  const file = write('query.json', JSON.stringify(query));
  const args = ['availability', '--app', app];
  const slot = '2099-03-01T03:00:00+00:00\t2099-03-01T04:00:00+00:00\tada, ben\n1 found\n';
  expect(await world.run([...args, file])).toEqual({ code: 0, stdout: slot, stderr: '' });
  expect(await world.run(args, JSON.stringify(query))).toEqual({ code: 0, stdout: slot, stderr: '' });
  expect((await json(...args, file)).total).toBe(1);
  const explained = await world.run([...args, file, '--explain', '2099-03-01T02:00']);
  expect(explained.stdout).toBe(
    '2099-03-01T02:00:00+00:00 is not offered\nbusy\tben is busy from 2099-03-01T02:00:00+00:00 to 2099-03-01T02:30:00+00:00\n',
  );
  const refusals = [
    [['availability', file], '--app is required; or set KALENDS_APP'],
    [[...args, join(folder, 'none.json')], 'cannot read'],
    [[...args, write('bad.json', '{')], 'must be JSON'],
    [[...args, write('wrong.json', JSON.stringify({ ...query, durationMinutes: 0 }))], 'durationMinutes'],
    [[...args, file, 'more'], 'Unexpected argument "more"'],
  ] as const;
  for (const [refused, message] of refusals) {
    const result = await world.run(refused);
    expect([result.code === 0, result.stderr]).toEqual([false, expect.stringContaining(message)]);
  }
});

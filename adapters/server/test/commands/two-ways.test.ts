import { userInfo } from 'node:os';
import { adminInterface } from '@kalends/http/administration';
import { expect, it } from 'vitest';
import { openReceiver } from '../../../../test/webhooks/receiver.ts';
import type { CommandResult } from './run-command.ts';
import { CLIENT, openServerWorld, type ServerWorld, type Way } from './server-world.ts';

/** A command and its result. */
interface Step extends CommandResult {
  readonly words: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Runs every operation once, and those that change nothing for a person as well. */
async function playAll(world: ServerWorld, steps: Step[]): Promise<void> {
  const run = async (words: string, args: readonly string[] = [], input = '') => {
    const json = await world.run([...words.split(' '), ...args, '--json'], input);
    steps.push({ words, ...json });
    return json.stdout === '' ? {} : JSON.parse(json.stdout);
  };
  const show = async (words: string, args: readonly string[] = [], input = '') => {
    steps.push({ words, ...(await world.run([...words.split(' '), ...args], input)) });
    return await run(words, args, input);
  };
  const receiver = await openReceiver();

  const { id: app } = await run('app create', ['--name', 'Shop', '--redirect-url', 'https://shop.test/connected']);
  await run('app create', ['--name', '', '--redirect-url', 'nowhere']);
  await show('app get', [app]);
  await run('app update', [app, '--name', 'My shop']);
  await run('app add-redirect-url', [app, 'https://shop.test/other']);
  await run('app remove-redirect-url', [app, 'https://shop.test/connected']);
  await show('app list', ['--limit', '1']);
  const of = ['--app', app];
  await run('client set', ['PROVIDER_A', ...of, '--client-id', CLIENT.clientId], CLIENT.clientSecret);
  await run(
    'client set',
    ['PROVIDER_B', ...of, '--client-id', 'x', '--setting', 'tenant=common', '--scope', 'Calendars.Read'],
    'wrong',
  );
  await run('client set', ['PROVIDER_B', ...of, '--client-id', 'x', '--setting', 'tenant=common'], 'wrong');
  await show('client get', ['PROVIDER_B', ...of]);
  await show('client list', of);
  await show('client test', ['provider_a', ...of]);
  await show('client test', ['PROVIDER_B', ...of]);
  await run('client remove', ['PROVIDER_B', ...of, '--yes']);
  const { key, apiKey } = await run('key create', [...of, '--name', 'Backend', '--expires-at', '90d']);
  await run('key create', [...of, '--name', 'Old', '--expires-at', 'tomorrow']);
  await world.call(key, 'POST', 'webhookEndpoints', { webhookUrl: `${receiver.url}?token=secret` });
  const account = await world.connect(key);
  await show('account list', of);
  await show('account get', [account, ...of]);
  await show('account health', [account, ...of]);
  await run('account reconnect-link', [account, ...of]);
  await run('account sync', [account, ...of]);
  const { data } = await show('receiver list', of);
  const target = data[0].id;

  await world.start('work');
  await receiver.wait(1);
  // The attempt is recorded after the receiver's answer.
  const path = `applications/${app}/receivers/${target}/deliveries`;
  while (((await world.administer(path))['data'] as readonly unknown[]).length === 0);
  const [{ messageId }] = (await run('receiver deliveries', [target, ...of, '--limit', '5'])).data;
  await run('receiver redeliver', [target, messageId, ...of]);
  await run('receiver recover', [target, ...of, '--since', '2020-01-01T00:00:00Z']);
  await run('receiver enable', [target, ...of]);
  await show('audit list', [...of, '--action', 'account.connected', '--all']);
  // How many calls there were differs from run to run.
  await show('measurements', ['--names', 'messagesGivenUp', '--step-ms', '300000']);
  await run('measurements', ['--names', 'pushes']);
  await show('key list', of);
  const { serverUrl, username, password } = world.calDav;
  const signIn = [...of, '--server-url', serverUrl, '--user', username];
  const mailbox = (await show('account connect', ['CALDAV', ...signIn], password)).id;
  await run('account connect', ['CALDAV', ...signIn], 'wrong-app-password');
  await run('account connect', ['CALDAV', ...of, '--server-url', serverUrl]);
  await run('account connect', ['CALDAV', ...of, '--server-url', 'https://10.0.0.1/', '--user', username], password);
  await run('account connect', ['PROVIDER_A', ...signIn], password);
  await run('account get', [mailbox, ...of]);
  const [{ id: calendar }] = (await world.call(key, 'GET', `calendars/${mailbox}`))['data'] as readonly [Json];
  const published = ['--name', 'Office', '--calendar', `${mailbox}/${calendar}`];
  const { feed } = await show('feed create', [...of, ...published]);
  await run('feed create', [...of, '--name', 'Office', '--calendar', mailbox]);
  await run('feed create', [...of, '--name', 'Office', '--calendar', `${mailbox}/nowhere`]);
  await show('feed list', of);
  await run('feed revoke', [feed.id, ...of, '--yes']);
  await run('feed revoke', [feed.id, ...of, '--yes']);
  await run('account expire', [account, ...of, '--yes']);
  await run('account sync', [account, ...of, '--wait']);
  await run('account delete', [account, ...of, '--yes']);
  await run('account get', [account, ...of]);
  await run('key revoke', [apiKey.id, ...of, '--yes']);
  const deleted = await world.run(['app', 'delete', app, '--yes', '--wait']);
  steps.push({ words: 'app delete', ...deleted });
  expect(deleted).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(/The application is deleted\.\n$/) });
  await show('app get', [app]);
}

/** Replaces parts of a text that differ between two runs: ids by their order, times, ports, keys, durations. */
function normalized(steps: readonly Step[]): readonly Step[] {
  const ids = new Map<string, string>();
  const idOf = (id: string, prefix: string) => {
    if (!ids.has(id)) ids.set(id, `${prefix}_${ids.size}`);
    return ids.get(id) ?? '';
  };
  const plain = (text: string) =>
    text
      .replace(/\b([a-z]{3})_[0-9A-Za-z]{22}\b/g, idOf)
      .replace(/kal_live_\w+/g, 'KEY')
      .replace(/\/feeds\/\w{43}\.ics/g, '/feeds/SECRET.ics')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/127\.0\.0\.1:\d+/g, 'HOST')
      .replace(/"latencyMs": [\d.]+/g, '"latencyMs": 1');
  return steps.map((step) => ({ ...step, stdout: plain(step.stdout), stderr: plain(step.stderr) }));
}

it('does the same in its own process as at a server, for every operation', { timeout: 180_000 }, async () => {
  const played: Record<Way, Step[]> = { local: [], remote: [] };
  const passwords = ['wrong-app-password'];
  for (const way of ['local', 'remote'] as const) {
    const world = await openServerWorld(way);
    passwords.push(world.calDav.password);
    await playAll(world, played[way]);
  }
  const [local, remote] = [normalized(played.local), normalized(played.remote)];
  for (const [index, step] of local.entries()) expect(remote[index]).toEqual(step);
  expect(remote).toHaveLength(local.length);
  // `kalends doctor` examines the host as well, so it is a command of its own; `kalends activity` follows a server only.
  const words = new Set(['doctor', 'activity', ...local.map((step) => step.words)]);
  expect(adminInterface.routes.map(({ command }) => command.words).filter((each) => !words.has(each))).toEqual([]);
  const codes = local.filter(({ code }) => code !== 0).map((step) => [step.words, step.code]);
  expect(codes).toEqual([
    ['app create', 1],
    ['client set', 1],
    ['client test', 1],
    ['client test', 1],
    ['key create', 1],
    ['measurements', 1],
    ['account connect', 1],
    ['account connect', 1],
    ['account connect', 1],
    ['account connect', 1],
    ['feed create', 1],
    ['feed create', 1],
    ['feed revoke', 1],
    ['account sync', 1],
    ['account get', 1],
    ['app get', 1],
    ['app get', 1],
  ]);
  const everything = JSON.stringify(played);
  for (const secret of [CLIENT.clientSecret, 'token=secret', '"wrong', ...passwords])
    expect(everything).not.toContain(secret);
});

it('names the user of a command in the audit log, and the address of a client', async () => {
  for (const way of ['local', 'remote'] as const) {
    const { run } = await openServerWorld(way);
    const created = await run(['app', 'create', '--name', 'Shop', '--json']);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const { id } = JSON.parse(created.stdout);
    const { data } = JSON.parse((await run(['audit', 'list', '--app', id, '--json'])).stdout);
    const command = { type: 'command', id: userInfo().username, address: null };
    const admin = { type: 'admin', id: null, address: '127.0.0.1' };
    expect(data).toMatchObject([{ action: 'application.created', actor: way === 'local' ? command : admin }]);
  }
});

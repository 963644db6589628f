import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocksBelow } from '../docs/code-blocks.ts';
import { startProcess } from '../processes/background-process.ts';
import { freePort } from '../processes/free-port.ts';
import { runShell } from '../processes/run-shell.ts';
import { newDatabase, STORAGES } from '../storages/new-database.ts';
import { copyTree } from './copy-of-tree.ts';

const page = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'kalends-readme-'));
const clone = join(folder, 'kalends');
const app = join(folder, 'app');

/** Returns the block at a place below a heading of the README. */
function block(heading: string, place: number): string {
  const found = codeBlocksBelow(page, heading)[place];
  if (found === undefined) throw new Error(`README.md has no block ${place} below "${heading}"`);
  return found.text;
}

/** Returns the text with a value in place of each word that ends in an ellipsis, as a reader fills it in. */
const filledIn = (text: string, values: Readonly<Record<string, string | undefined>>) =>
  text.replace(/(\w+)=\S*…/g, (_, name: string) => `${name}='${values[name] ?? ''}'`);

beforeAll(async () => {
  const [commands = ''] = block('## Start', 0).split('\n').slice(1);
  expect(commands).toBe('npm ci && npm start');
  await copyTree(clone);
  await runShell('npm ci', clone);
}, 600_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('leads from an empty folder to a verified webhook', { timeout: 300_000 }, async () => {
  const server = startProcess('npm', ['start', '--', '--port', '0'], { folder: clone });
  const [, base = ''] = await server.printed(/Base URL +(\S+)/);
  const [, key] = await server.printed(/API key +(\S+)/);
  const [, token] = await server.printed(/ada@gmail\.example\n +refresh token (\S+)/);
  await server.printed(/Ctrl-C stops the server/);
  expect(block('## Start', 1)).toBe('npm run tour\n');
  expect(await runShell(block('## Start', 1), clone)).toContain('all as promised, on all three providers');

  const heading = '## Receive a verified webhook';
  const port = String(await freePort());
  const play = (place: number, values: Readonly<Record<string, string | undefined>>) => {
    const text = block(heading, place).replaceAll('127.0.0.1:5000', `127.0.0.1:${port}`);
    const known = `BASE='${base}' KEY='${key}' ACCOUNT='${values.ACCOUNT ?? ''}'\n`;
    const filled = filledIn(text, { KEY: key, TOKEN: token, ...values }).replace('http://127.0.0.1:4400/api', base);
    return { commands: filled, known };
  };
  const connect = play(0, {});
  const { endUserAccountId, id } = JSON.parse(await runShell(connect.commands, clone));
  const account = { ACCOUNT: String(endUserAccountId ?? id) };
  const subscribe = play(1, account);
  const { endpointSecret } = JSON.parse(await runShell(subscribe.known + subscribe.commands, clone));

  const { known, commands } = play(2, { ...account, SECRET: endpointSecret });
  const [secret = '', listen = '', ...create] = commands.split('\n');
  const receiver = startProcess('bash', ['-c', `${secret}\nexec ${listen.replace(' &', ` ${port}`)}`], {
    folder: clone,
  });
  await receiver.printed(/waiting for webhooks/);
  const created = await runShell(known + create.join('\n'), clone);
  expect(JSON.parse(created)).toMatchObject({ title: 'Planning' });
  const [line] = await receiver.printed(/^(verified|refused) .*$/m);
  expect(line).toMatch(/^verified msg_\w+ calendar\.event\.changed$/);
});

describe('installs from tarballs', () => {
  beforeAll(async () => {
    mkdirSync(app);
    await runShell(block('## Install', 0), clone);
    await runShell(block('## Install', 1), app);
    writeFileSync(
      join(app, 'app.mjs'),
      block('## Embed', 0).replace('listen(3000)', 'listen(Number(process.env.PORT))'),
    );
  }, 300_000);

  it.each(STORAGES)('and the embedding program serves the interface on %s', { timeout: 60_000 }, async (storage) => {
    const port = String(await freePort());
    const database = await newDatabase(storage);
    const program = startProcess('node', ['app.mjs'], {
      folder: app,
      environment: {
        PORT: port,
        KALENDS_SECRET: Buffer.alloc(32, 7).toString('base64'),
        ...(storage === 'postgres' ? { DATABASE_URL: database } : {}),
      },
    });
    const [, count, command = ''] = await program.printed(/^(\d+) accounts: (curl .*)$/m);
    expect(count).toBe('0');
    expect(JSON.parse(await runShell(command.replace(':3000', `:${port}`), app))).toMatchObject({ data: [] });
  });

  it('and the offline test of docs/coding-agents.md passes', { timeout: 60_000 }, async () => {
    const agents = readFileSync(new URL('../../docs/coding-agents.md', import.meta.url), 'utf8');
    const [program] = codeBlocksBelow(agents, '## Test offline');
    writeFileSync(join(app, 'offline.test.mjs'), program?.text ?? '');
    expect(await runShell('node --test offline.test.mjs', app)).toMatch(/^# pass 1$/m);
  });
});

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { databasePool } from '../../../postgres/test/server/database-pool.ts';
import { runCommand } from './run-command.ts';

/** Empty databases of the run's server, without tables. */
async function emptyDatabases(count: number) {
  const base = await databasePool.take();
  const client = new pg.Client(base.url);
  await client.connect();
  const names = Array.from({ length: count }, () => `kalends_empty_${randomBytes(4).toString('hex')}`);
  for (const name of names) await client.query(`create database ${name}`);
  onTestFinished(async () => {
    for (const name of names) await client.query(`drop database ${name} with (force)`);
    await client.end();
    await databasePool.giveBack(base);
  });
  return names.map((name) => {
    const url = new URL(base.url);
    url.pathname = `/${name}`;
    return { url: url.href, shown: `postgres://${url.host}/${name}` };
  });
}

function configure(home: string, shards: string): void {
  vi.stubEnv('KALENDS_DATABASE_URL', home);
  vi.stubEnv('KALENDS_SHARDS', shards);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test('migrate names every database, and fails for one that is away', async () => {
  const [home, one] = await emptyDatabases(2);
  if (home === undefined || one === undefined) throw new Error('Two databases are needed');
  configure(home.url, `one=${one.url}`);
  const printed = (await runCommand(['migrate', '--print'])).stdout;
  expect(printed.match(/^begin;$/gm)).toHaveLength(2);
  expect(printed).toContain(`-- in the database one at ${one.shown}\nbegin;`);

  const { code, stdout } = await runCommand(['migrate']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^home at .* is migrated from nothing to \S+:$/m);
  expect(stdout).toContain(`one at ${one.shown} is migrated from nothing to `);
  expect((await runCommand(['migrate'])).stdout).toContain(`one at ${one.shown} is up to date, at `);

  configure(home.url, `one=${one.url},two=postgres://kalends:hush@127.0.0.1:1/two`);
  const away = await runCommand(['migrate']);
  expect(away.code).toBe(1);
  expect(away.stdout).toContain(`one at ${one.shown} is up to date`);
  expect(away.stderr).toMatch(/^kalends: two at postgres:\/\/127\.0\.0\.1:1\/two is not migrated: .*ECONNREFUSED/);
  expect(away.stderr).toContain('Run "kalends migrate" again');
});

test('a database user without the right to change tables is told how to migrate', async () => {
  const [home, one] = await emptyDatabases(2);
  if (home === undefined || one === undefined) throw new Error('Two databases are needed');
  const role = `kalends_guest_${randomBytes(4).toString('hex')}`;
  const narrow = new URL(home.url);
  narrow.username = role;
  const owner = new pg.Client(home.url);
  await owner.connect();
  await owner.query(`create role ${role} login; revoke create on schema public from public`);
  onTestFinished(async () => {
    await owner.query(`drop owned by ${role}; drop role ${role}`);
    await owner.end();
  });
  for (const shards of ['', `one=${one.url}`]) {
    configure(narrow.href, shards);
    const refused = await runCommand(['migrate']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /: permission denied for schema public; "kalends migrate --print" prints the SQL for a user who may change tables; see Upgrades in docs\/operating\.md\n$/,
    );
  }
  expect((await runCommand(['migrate', '--print'])).stdout).toMatch(/^-- in the database home.*\nbegin;/);
});

test('a search for erased data and a rewrap claim nothing while a database is away, and name it', async () => {
  const [home, one] = await emptyDatabases(2);
  if (home === undefined || one === undefined) throw new Error('Two databases are needed');
  vi.stubEnv('KALENDS_SECRET', Buffer.alloc(32, 5).toString('base64'));
  configure(home.url, '');
  expect((await runCommand(['migrate'])).code).toBe(0);
  configure(home.url, `one=${one.url}`);
  for (const command of [['erase', '--verify', '--text', 'jane'], ['rewrap']]) {
    const refused = await runCommand(command);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`one at ${one.shown} has no tables of kalends`);
  }
  expect((await runCommand(['migrate'])).code).toBe(0);
  expect(await runCommand(['erase', '--verify', '--text', 'jane'])).toMatchObject({
    code: 0,
    stdout: 'Nothing is left.\n',
  });
  expect((await runCommand(['rewrap'])).code).toBe(0);
  const { id } = JSON.parse((await runCommand(['app', 'create', '--name', 'Shop', '--json'])).stdout) as { id: string };
  configure(home.url, `one=${one.url},two=postgres://kalends@127.0.0.1:1/two`);
  const searched = await runCommand(['erase', '--verify', '--text', 'jane']);
  expect(searched).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('the shard "two" cannot be reached'),
  });
  const rewrapped = await runCommand(['rewrap']);
  expect(rewrapped).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('the shard "two" cannot be reached'),
  });
  expect(rewrapped.stderr).toContain('run this again when it is back');
  const listed = await runCommand(['receiver', 'list', '--app', id]);
  expect(listed.code).toBe(1);
  expect(listed.stderr).toContain('the database "two" is unavailable');
});

test('an error at the start names the database that it is about', async () => {
  const [home, one, two] = await emptyDatabases(3);
  if (home === undefined || one === undefined || two === undefined) throw new Error('Three databases are needed');
  configure(home.url, `one=${one.url},two=${two.url}`);
  expect((await runCommand(['migrate'])).code).toBe(0);
  configure(home.url, `one=${two.url}`);
  const mixed = await runCommand(['migrate']);
  expect(mixed.code).toBe(1);
  expect(mixed.stderr).toContain(
    `shard "one" at ${two.shown}: The database given as "shard:one" is that of "shard:two"`,
  );
  expect(mixed.stderr).not.toContain(home.shown);
  configure('postgres://kalends:hush@127.0.0.1:1/away', `one=${one.url}`);
  const away = await runCommand(['migrate']);
  expect(away.stderr).toMatch(/shard "home" cannot be reached \(postgres:\/\/127\.0\.0\.1:1\/away\).*ECONNREFUSED/);
});

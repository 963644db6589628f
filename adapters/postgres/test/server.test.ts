import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { startPostgres } from './server/start-postgres.ts';
import { createTestDatabase } from './server/test-database.ts';

async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe('the PostgreSQL for tests', () => {
  test('gives databases of their own, which can be copied', async () => {
    const first = await createTestDatabase();
    await query(first.url, 'create table note (id int)');
    const copy = await createTestDatabase({ copyOf: first.name });
    await query(copy.url, 'insert into note values (1)');
    expect(await query(first.url, 'select * from note')).toEqual([]);
    await first.drop();
    await copy.drop();
    await expect(query(first.url, 'select 1')).rejects.toThrow('does not exist');
  });

  test('keeps what was committed over a crash, and is gone after stopping', async () => {
    const server = await startPostgres();
    await query(server.url, 'create table note (id int); insert into note values (7)');
    await server.restart('immediate');
    expect(await query(server.url, 'select id from note')).toEqual([{ id: 7 }]);
    const [row] = await query(server.url, 'show data_directory');
    await server.stop();
    await expect(query(server.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
    expect(existsSync(String(row?.['data_directory']))).toBe(false);
  });

  test('ends with the process that started it, also when that is killed', async () => {
    const pathOf = (file: string) => fileURLToPath(new URL(`server/${file}`, import.meta.url));
    const command = [pathOf('run-source.js'), pathOf('start-and-wait.ts')];
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout, 'data');
    const url = String(line).trim();
    const sessions = new pg.Client({ connectionString: url });
    await sessions.connect();
    const isCut = once(sessions, 'error');
    child.kill('SIGKILL');
    await isCut;
    await expect(query(url, 'select 1')).rejects.toThrow();
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../commands/run-command.ts';
import { event, type MadeHistory, madeHistory } from './made-history.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kalends-history-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf({ lines }: Pick<MadeHistory, 'lines'>): string {
  const file = join(folder, 'history.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

const sound = madeHistory()
  .list('', [event('a')], { sync: 's1' })
  .update(event('a', 2))
  .list('?syncToken=s1', [event('a', 2)], { sync: 's2' });

const broken = madeHistory()
  .list('', [event('a')], { sync: 's1' })
  .update(event('a', 2))
  .list('?syncToken=s1', [], { sync: 's2' });

describe('kalends check-history', () => {
  it('prints how often each promise was checked, and exits with 0 when all held', async () => {
    const { code, stdout, stderr } = await runCommand(['check-history', fileOf(sound)]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('3 requests');
    expect(stdout).toMatch(/^record-once +2 +0$/m);
    expect(stdout).toMatch(/^token-lives +1 +0$/m);
  });

  it('names promise, lines, list and records of a violation, and exits with 1', async () => {
    const { code, stdout } = await runCommand(['check-history', fileOf(broken)]);
    expect(code).toBe(1);
    expect(
      stdout,
    ).toContain(`read-your-writes, lines 1, 2, 3: the record is shown as it was before an acknowledged write
  An acknowledged write is in every later read, until a later change replaces it.
  /v1/events/acc_1/ada%40example.com
  a
`);
  });

  it('prints the report as JSON', async () => {
    const { code, stdout } = await runCommand(['check-history', '--json', fileOf(broken)]);
    const report = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(report.promises['read-your-writes']).toEqual({ checked: 1, violated: 1 });
    expect(report.violations).toHaveLength(1);
    expect(report.exchanges).toBe(3);
  });

  it('reads standard input', async () => {
    expect((await runCommand(['check-history', '-'], `${sound.lines.join('\r\n')}\r\n`)).code).toBe(0);
  });

  it('takes the lifetime of tokens that the service has', async () => {
    const history = madeHistory()
      .list('', [event('a')], { sync: 's1' })
      .later(2 * 86_400_000)
      .refused('?syncToken=s1', 410, 'SyncTokenExpired');
    expect((await runCommand(['check-history', fileOf(history)])).code).toBe(1);
    expect((await runCommand(['check-history', fileOf(history), '--token-lifetime', '2'])).code).toBe(0);
  });

  it('takes what others know of the calendars', async () => {
    const lost = madeHistory().create(event('a')).list('', [], { sync: 's1' });
    expect((await runCommand(['check-history', fileOf(lost)])).code).toBe(0);
    expect((await runCommand(['check-history', fileOf(lost), '--only-writer'])).code).toBe(1);
    const skewed = madeHistory().update(event('a', 3)).get('a', event('a', 2));
    expect((await runCommand(['check-history', fileOf(skewed)])).code).toBe(1);
    expect((await runCommand(['check-history', fileOf(skewed), '--no-updated-at'])).code).toBe(0);
  });

  it('says what it could not check', async () => {
    const begun = madeHistory().list('?syncToken=older', [event('a')], { sync: 's1' });
    const { code, stdout } = await runCommand(['check-history', fileOf(begun)]);
    expect(code).toBe(0);
    expect(stdout).toContain('not checked: 1 sync results of tokens that the history does not give out');
  });

  const line = { sentAt: 1, answeredAt: 2, method: 'GET', url: '/v1/events/a/c', status: 200 };
  it.each([
    ['{"sentAt":', 'line 2: is no JSON object'],
    ['[]', 'line 2: is no JSON object'],
    [{ ...line, sentAt: '2026' }, 'line 2: sentAt: must be milliseconds since 1970'],
    [{ ...line, answeredAt: null }, 'line 2: answeredAt: must be milliseconds since 1970'],
    [{ ...line, sentAt: 3 }, 'line 2: answeredAt: must not be before sentAt'],
    [{ ...line, method: 'LIST' }, 'line 2: method: must be one of GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS'],
    [{ ...line, url: 'https://example.com/v1/events/a/c' }, 'line 2: url: must begin with /v1'],
    [{ ...line, status: '200' }, 'line 2: status: must be a status of HTTP, from 100 to 599'],
    [{ ...line, idempotencyKey: 7 }, 'line 2: idempotencyKey: must be a text'],
    [{ quiet: 'yes', at: 3 }, 'line 2: quiet: must be true or false'],
    [{ quiet: true }, 'line 2: at: must be milliseconds since 1970'],
    [
      { ...line, sentAt: 0, answeredAt: 0 },
      'line 2: answeredAt: is before that of an earlier line; lines stand in order of answers. Give what follows a clock that was set back as a file of its own',
    ],
  ])('refuses %j with 2, naming line and rule', async (given, message) => {
    const second = typeof given === 'string' ? given : JSON.stringify(given);
    const file = fileOf({ lines: [JSON.stringify(line), second] });
    const { code, stdout, stderr } = await runCommand(['check-history', file]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${file}, ${message}`);
  });

  it.each([
    [[], 'FILE is required'],
    [['a', 'b'], 'Unexpected argument "b"'],
    [['nowhere.jsonl'], 'cannot read nowhere.jsonl'],
    [['a', '--token-lifetime', '-3'], 'token-lifetime'],
    [['a', '--token-lifetime', '0'], '--token-lifetime: must be a number of days above 0'],
  ])('refuses the arguments %j with 2', async (args, message) => {
    const { code, stderr } = await runCommand(['check-history', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('refuses a file without requests', async () => {
    expect((await runCommand(['check-history', fileOf({ lines: [] })])).code).toBe(2);
  });
});

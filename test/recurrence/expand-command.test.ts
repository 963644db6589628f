import { PassThrough, Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { runProgram } from '../../adapters/server/src/commands/program.ts';
import { runExpand } from '../../adapters/server/src/expand-command.ts';

async function run(args: string[], input: Iterable<string> = [], runs: typeof runExpand = runExpand) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const read = async (stream: PassThrough) => Buffer.concat(await stream.toArray()).toString();
  const texts = Promise.all([read(stdout), read(stderr)]);
  const code = await runs(args, { stdin: Readable.from(input), stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, err] = await texts;
  return { code, out, err };
}

const WEEKLY = ['--dtstart', '2026-01-05T09:00', '--tz', 'America/New_York', '--rule', 'FREQ=WEEKLY;BYDAY=MO'];

describe('kalends expand', () => {
  test('prints the rule in words and its occurrences', async () => {
    expect(await run([...WEEKLY, '--from', '2026-03-01', '--to', '2026-03-16'])).toEqual({
      code: 0,
      out: '# every week on Monday\n2026-03-02T09:00:00-05:00\n2026-03-09T09:00:00-04:00\n',
      err: '',
    });
  });

  test('takes instants as bounds, a limit and several lines', async () => {
    const { out } = await run([
      ...WEEKLY,
      '--rule',
      'EXDATE:20260112T140000Z',
      '--from',
      '2026-01-05T14:00:00Z',
      '--limit',
      '2',
    ]);
    expect(out.split('\n').slice(1)).toEqual(['2026-01-05T09:00:00-05:00', '2026-01-19T09:00:00-05:00', '']);
    const later = await run([...WEEKLY, '--from', '2026-01-05T09:00:01-05:00', '--limit', '1']);
    expect(later.out).toContain('2026-01-12');
  });

  test('floating and all-day series have local times and dates', async () => {
    const floating = await run(['--dtstart', '2026-01-05T09:00', '--rule', 'FREQ=DAILY;COUNT=1']);
    expect(floating.out).toBe('# once\n2026-01-05T09:00:00\n');
    const allDay = await run(['--dtstart', '2026-01-05', '--rule', 'FREQ=DAILY;COUNT=1']);
    expect(allDay.out).toContain('\n2026-01-05\n');
  });

  test('stops after a thousand when nothing bounds it, and says so', async () => {
    const { out, err } = await run(WEEKLY);
    expect(out.trim().split('\n')).toHaveLength(1001);
    expect(err).toContain('stopped after 1000');
  });

  test.each([
    [1, ['--dtstart', '2026-01-05T09:00', '--rule', 'FREQ=NEVER'], 'FREQ: "NEVER"'],
    [1, ['--dtstart', '2026-01-05T09:00', '--tz', '+02:00', '--rule', 'FREQ=DAILY'], 'timeZone'],
    [1, [...WEEKLY, '--from', 'tomorrow'], 'from: "tomorrow"'],
    [1, [...WEEKLY, '--limit', 'x'], 'limit'],
    [1, [...WEEKLY, '--gap', 'sideways'], 'gap'],
    [2, ['--rule', 'FREQ=DAILY'], '--dtstart is required'],
    [2, [], '--dtstart is required'],
    [2, ['--frequency', 'daily'], 'Usage'],
  ])('ends with %i and a reason for %j', async (code, args, reason) => {
    const result = await run(args);
    expect(result.code).toBe(code);
    expect(result.err).toContain(reason);
  });

  test('--help says how it is used', async () => {
    // The program answers for each of its commands.
    expect((await run(['expand', '--help'], [], runProgram)).out).toContain('Usage: kalends expand');
  });
});

describe('kalends expand --batch', () => {
  const request = { dtstart: '2026-01-05T09:00:00', timeZone: 'Europe/Kyiv', lines: ['RRULE:FREQ=DAILY'], limit: 2 };

  async function answers(lines: Iterable<string>): Promise<unknown[]> {
    const { out } = await run(['--batch'], lines);
    return out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  test('answers line by line, in order, whatever the chunks', async () => {
    const text = [request, { ...request, timeZone: null }, { ...request, dtstart: '2026-01-05', timeZone: null }]
      .map((each) => JSON.stringify(each))
      .join('\n');
    const chunks = text.match(/[\s\S]{1,17}/g)!;
    expect(await answers(chunks)).toEqual([
      { starts: ['2026-01-05T09:00:00+02:00', '2026-01-06T09:00:00+02:00'] },
      { starts: ['2026-01-05T09:00:00', '2026-01-06T09:00:00'] },
      { starts: ['2026-01-05', '2026-01-06'] },
    ]);
  });

  test('an error of one line is its answer', async () => {
    const lines = ['nonsense', '[]', '{}', { ...request, lines: 'FREQ=DAILY' }, { ...request, limit: -1 }, request];
    const found = await answers(lines.map((each) => `${typeof each === 'string' ? each : JSON.stringify(each)}\n`));
    expect(found.map((each) => Object.keys(each as object)[0])).toEqual([...Array(5).fill('error'), 'starts']);
    expect(found[2]).toEqual({ error: 'dtstart: must be a local date or date-time' });
  });

  test('an answer that was cut says so', async () => {
    const [found] = (await answers([JSON.stringify({ ...request, limit: null })])) as {
      starts: string[];
      truncated: boolean;
    }[];
    expect(found?.starts).toHaveLength(1000);
    expect(found?.truncated).toBe(true);
  });

  test('ten thousand lines', async () => {
    const line = `${JSON.stringify({ ...request, from: '2026-06-01T00:00:00', to: '2026-06-08T00:00:00', limit: undefined })}\n`;
    const found = await answers(Array.from({ length: 20 }, () => line.repeat(500)));
    expect(found).toHaveLength(10_000);
    expect(found.at(-1)).toEqual(found[0]);
    expect((found[0] as { starts: string[] }).starts).toHaveLength(7);
  });
});

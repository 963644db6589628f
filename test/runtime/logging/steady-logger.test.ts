import { steadyLogger } from 'kalends/runtime';
import { afterEach, expect, it, vi } from 'vitest';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

afterEach(() => void vi.restoreAllMocks());

it.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('the pipe is broken');
    },
  ],
  ['rejects', () => Promise.reject(new Error('the pipe is broken'))],
])('a logger that %s ends no work, and the process warns of it', async (_name, fail) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const logger = steadyLogger({ debug: fail, info: fail, warn: fail, error: fail });
  for (const level of LEVELS) logger[level]('a line', {});
  await Promise.resolve();
  const warning = 'The logger failed at "a line": Error: the pipe is broken';
  expect(warned.mock.calls).toEqual(LEVELS.map(() => [warning, 'KalendsWarning']));
});

it('calls a logger of a class as its method', () => {
  class Lines {
    readonly #lines: string[] = [];
    get all() {
      return this.#lines;
    }
    debug(line: string) {
      this.#lines.push(line);
    }
    info = this.debug;
    warn = this.debug;
    error = this.debug;
  }
  const lines = new Lines();
  const logger = steadyLogger(lines);
  for (const level of LEVELS) logger[level](level);
  expect(lines.all).toEqual(LEVELS);
});

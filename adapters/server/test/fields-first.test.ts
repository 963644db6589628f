import { google } from '@kalends/google';
import { answerClientErrors, nodeListener } from '@kalends/http/node';
import { sqlite } from '@kalends/sqlite';
import fastify from 'fastify';
import { createEngine, type EngineOptions, fieldsFirst } from 'kalends';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const RULE = 'logger: must take the message before the fields; wrap this one in fieldsFirst of kalends';

/** Loggers that take the fields first, each with the lines that it has written. */
const LOGGERS = {
  pino(write: (line: string) => void) {
    return pino({ level: 'debug' }, { write });
  },
  'a child of pino': (write: (line: string) => void) => pino({ level: 'debug' }, { write }).child({ app: 'calendar' }),
  'the log of Fastify': (write: (line: string) => void) =>
    fastify({ logger: { level: 'debug', stream: { write } } }).log,
};

describe.each(Object.entries(LOGGERS))('%s', (_, create) => {
  it('keeps the fields of every level', () => {
    const lines: string[] = [];
    const logger = fieldsFirst(create((line) => lines.push(line)));
    for (const level of LEVELS) logger[level]('a pull failed: 100 %s', { accountId: level, attempts: 2 });
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      LEVELS.map((accountId) => expect.objectContaining({ msg: 'a pull failed: 100 %s', accountId, attempts: 2 })),
    );
    lines.length = 0;
    logger.info('stopped');
    expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ msg: 'stopped' })]);
  });

  it('is refused as it is', () => {
    const logger = create(() => undefined) as unknown as NonNullable<EngineOptions['logger']>;
    const storage = sqlite({ path: ':memory:' });
    const secret = Buffer.alloc(32, 1).toString('base64');
    const options = { storage, providers: { PROVIDER_A: google() }, secret };
    expect(() => createEngine({ ...options, logger })).toThrow(RULE);
    expect(() => createEngine({ ...options, logger: fieldsFirst(logger as never) })).not.toThrow();
    expect(() => google({ logger })).toThrow(RULE);
    expect(() => nodeListener(() => new Response(), { logger })).toThrow(RULE);
    expect(() => answerClientErrors({} as never, { logger })).toThrow(RULE);
  });
});

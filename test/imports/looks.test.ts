import { manualClock, seededRandom } from '@kalends/conformance';
import type { ImportRow } from 'kalends/ports';
import { createTokenSealer, createWakeUp, parseSecrets } from 'kalends/runtime';
import { expect, it } from 'vitest';
import { createImports } from '../../src/imports/create-imports.ts';

const SECRET = Buffer.alloc(32, 7).toString('base64');

it('an import begins beside a long one after a failed look, and the end waits for both', async () => {
  const clock = manualClock();
  const random = seededRandom(1);
  const warnings: string[] = [];
  const due = ['long'];
  const begun: string[] = [];
  let answer = () => {};
  const longWork = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let fails = false;
  const imports = createImports({
    storage: {
      imports: {
        async listDue() {
          if (fails) throw new Error('the storage fails');
          return due.map((id) => ({ id, accountId: 'acc_1' }) as ImportRow);
        },
        async find({ id }: { readonly id: string }) {
          begun.push(id);
          due.splice(due.indexOf(id), 1);
          if (id === 'long') await longWork;
          return undefined;
        },
      },
    },
    events: {},
    leases: {
      claim: async (name: string) => ({ name, epoch: 1 }),
      during: async (_lease: unknown, work: () => Promise<unknown>) => await work(),
    },
    audit: () => ({}),
    ...{ clock, random, wakeUp: createWakeUp(clock) },
    pageSealer: createTokenSealer(parseSecrets(SECRET), random, 'page:imports'),
    logger: { debug() {}, info() {}, error() {}, warn: (text: string) => warnings.push(text) },
  } as unknown as Parameters<typeof createImports>[0]);
  const stopping = new AbortController();
  let isOver = false;
  const run = imports.run(stopping.signal).finally(() => {
    isOver = true;
  });
  await clock.advance(0);
  fails = true;
  await clock.advance(5_000);
  fails = false;
  due.push('short');
  await clock.advance(5_000);
  expect([begun, warnings]).toEqual([['long', 'short'], ['no look for imports']]);
  stopping.abort(new Error('stopping'));
  await clock.advance(0);
  expect(isOver).toBe(false);
  answer();
  await run;
});

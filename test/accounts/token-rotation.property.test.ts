import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sizeOf } from '../size-of.ts';
import { openComposedEngine } from './composed-engine.ts';
import { tokensOf } from './tokens-of.ts';

const HOUR = 3_600_000;

/** One step of a history: who does what, and how long the provider's answers take on their way. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('use' as const), process: fc.nat({ max: 2 }), refused: fc.boolean() }),
  fc.record({ kind: fc.constant('reconnect' as const), process: fc.nat({ max: 2 }) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 150, 1_000, HOUR) }),
);

describe('rotating refresh tokens', () => {
  it('are never lost and expire no account, however three processes use and reconnect an account', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 14 }),
        fc.array(fc.constantFrom(0, 50, 400, 2_000), { minLength: 1, maxLength: 8 }),
        async (steps, delays) => {
          const composed = await openComposedEngine();
          const { fake, clock, caller, applicationId } = composed;
          fake.rotates = true;
          const accountId = await composed.connect();
          let answers = 0;
          fake.wayBack = () => clock.sleep(delays[answers++ % delays.length]!);
          const processes = [composed.engine, composed.process(), composed.process()];
          const running: Promise<unknown>[] = [];
          let pending = 0;
          let lastToken: string | undefined;
          const track = (work: Promise<unknown>) => {
            pending += 1;
            running.push(
              work.finally(() => {
                pending -= 1;
              }),
            );
          };
          for (const [index, action] of steps.entries()) {
            if (action.kind === 'wait') {
              await clock.advance(action.ms);
            } else if (action.kind === 'use') {
              const engine = processes[action.process]!;
              const session = engine.access.session(await engine.access.get(applicationId, accountId));
              const use = async () => {
                lastToken = await session.accessToken(action.refused ? lastToken : undefined);
              };
              track(use());
            } else {
              fake.grant(`new-${index}`, 'ada@example.com');
              const body = { email: 'ada@example.com', providerType: 'FAKE', refreshToken: `new-${index}` };
              track(processes[action.process]!.services.accounts.upsert(caller, body));
            }
          }
          while (pending > 0) await clock.advance(100);
          await Promise.all(running);
          fake.wayBack = async () => undefined;
          expect(await composed.engine.services.accounts.get(caller, accountId)).toMatchObject({ status: 'ACTIVE' });
          const { refreshToken } = await tokensOf(composed.engine.services.accounts.getCredentials(caller, accountId));
          expect([...fake.grants.keys()]).toContain(refreshToken);
        },
      ),
      { numRuns: sizeOf('runs', { short: 20, long: 200 }) },
    );
  });
});

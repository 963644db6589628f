import type { TargetRow } from 'kalends/ports';
import { expect, it } from 'vitest';
import { openSecrets, sealNextSecret, sealSecret } from '../../src/webhooks/target-secret.ts';
import { localSealer } from '../data-keys/local-sealer.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A receiver whose secret was `a`, and is rotated. */
async function openTarget() {
  const sealer = localSealer(Buffer.alloc(32, 7).toString('base64'));
  const owner = { applicationId: 'app_1', id: 'whe_1' };
  let row = { ...owner, ...(await sealSecret(sealer, owner, 'a')), previousSecret: null } as TargetRow;
  return {
    async rotate(secret: string, at: number) {
      const { sealed, previousSealed } = await sealNextSecret(sealer, row, secret, at);
      row = { ...row, sealedSecret: sealed, previousSecret: { sealed: previousSealed, until: at + DAY_MS } };
    },
    secretsAt: (at: number) => openSecrets(sealer, row, at),
  };
}

it('a secret signs for a day after its rotation, whatever rotations follow', async () => {
  const { rotate, secretsAt } = await openTarget();
  await rotate('b', 0);
  await rotate('c', HOUR_MS);
  expect(await secretsAt(HOUR_MS)).toEqual(['c', 'b', 'a']);
  await rotate('d', 2 * HOUR_MS);
  expect(await secretsAt(DAY_MS - 1)).toEqual(['d', 'c', 'b', 'a']);
  expect(await secretsAt(DAY_MS)).toEqual(['d', 'c', 'b']);
  await rotate('e', DAY_MS + HOUR_MS);
  expect(await secretsAt(DAY_MS + HOUR_MS)).toEqual(['e', 'd', 'c']);
  expect(await secretsAt(2 * DAY_MS + HOUR_MS)).toEqual(['e']);
});

it('four earlier secrets sign at most', async () => {
  const { rotate, secretsAt } = await openTarget();
  for (const secret of ['b', 'c', 'd', 'e', 'f', 'g']) await rotate(secret, 0);
  expect(await secretsAt(0)).toEqual(['g', 'f', 'e', 'd', 'c']);
});

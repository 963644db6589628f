import { expect, test } from 'vitest';
import { agreeWhole, drawWhole } from './sub-daily-agreement.ts';
import { createDice } from './sub-daily-draw.ts';

test('200 sub-daily rules agree over a hundred years, and where COUNT and UNTIL end them', () => {
  const dice = createDice(21);
  let slots = 0;
  for (let rule = 0; rule < 200; rule++) slots += agreeWhole(drawWhole(dice));
  expect(slots).toBeGreaterThan(1_000_000);
});

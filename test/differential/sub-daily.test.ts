import { expect, test } from 'vitest';
import { agreeInWindows, agreeWhole, drawWhole } from './sub-daily-agreement.ts';
import { createDice } from './sub-daily-draw.ts';

// The long suite asks a five hundred times as many.

test('400 sub-daily rules agree with the definition in 20 windows each', () => {
  expect(
    agreeInWindows(1, 400, ['America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', null]),
  ).toBeGreaterThan(100_000);
});

test('2 sub-daily rules agree over a hundred years', () => {
  const dice = createDice(1);
  for (let rule = 0; rule < 2; rule++) agreeWhole(drawWhole(dice));
});

import { test } from 'vitest';
import { agreeWithOracle } from './oracle-agreement.ts';
import { agreeWithRrule } from './rrule-agreement.ts';

test('2,000 rules agree with an expander that tests every day or second', () => {
  agreeWithOracle(2000);
});

test('2,000 calendar rules agree with rrule wherever rrule is right', () => {
  agreeWithRrule(2000);
});

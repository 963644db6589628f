import { test } from 'vitest';
import { agreeWithOracle } from './oracle-agreement.ts';
import { agreeWithRrule } from './rrule-agreement.ts';

test('500 rules agree with an expander that tests every day or second', () => {
  agreeWithOracle(500);
});

test('500 calendar rules agree with rrule wherever rrule is right', () => {
  agreeWithRrule(500);
});

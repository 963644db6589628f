import { test } from 'vitest';
import { agreeWithOracle } from './oracle-agreement.ts';
import { agreeWithRrule } from './rrule-agreement.ts';

test('20,000 rules agree with an expander that tests every day or second', () => {
  agreeWithOracle(10_000);
});

test('20,000 calendar rules agree with rrule wherever rrule is right', () => {
  agreeWithRrule(10_000);
});

import { expect, it } from 'vitest';
import { spreadValues } from '../src/command-line.ts';

it.each([
  [
    ['--ics', 'a.ics', 'b.ics'],
    ['--ics', 'a.ics', '--ics', 'b.ics'],
  ],
  [
    ['--ics=a.ics', 'b.ics'],
    ['--ics=a.ics', '--ics', 'b.ics'],
  ],
  [
    ['--port', '80', 'b.ics'],
    ['--port', '80', 'b.ics'],
  ],
  [
    ['--ics', 'a.ics', '--json', 'b.ics'],
    ['--ics', 'a.ics', '--json', 'b.ics'],
  ],
])('repeats --ics before each further value of %j', (args, spread) => {
  expect(spreadValues(args, ['ics'])).toEqual(spread);
});

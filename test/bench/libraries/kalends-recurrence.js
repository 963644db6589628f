// @kalends/recurrence as the benchmark asks it, in the same way as its peers.
import { parseRecurrence } from '@kalends/recurrence';
import { basic } from './basic.js';

const parse = ({ dtstart, zone, rule }) => parseRecurrence(`DTSTART;TZID=${zone}:${basic(dtstart)}\nRRULE:${rule}`);

const way = {
  parse,
  compile(series) {
    const instants = parse(series).as('ms');
    let texts;
    return {
      between: (from, to) => instants.between(from, to - 1, true),
      iso(from, to) {
        texts ??= instants.as('iso');
        return texts.between(from, to - 1, true);
      },
      firstN: (limit) => instants.all(limit),
    };
  },
};

export const library = { name: '@kalends/recurrence', package: '@kalends/recurrence', ways: [way] };

import rruleRust from 'rrule-rust';
import { basic } from './basic.js';
import { isoOf } from './iso-of.js';

/** The cache of answers is off. */
function parseRust({ dtstart, zone, rule }) {
  const set = rruleRust.RRuleSet.fromString(`DTSTART;TZID=${zone}:${basic(dtstart)}\nRRULE:${rule}`);
  set.cache.disable();
  return set;
}

const way = {
  parse: parseRust,
  compile(series) {
    const parsed = parseRust(series);
    const utc = (ms) => {
      const date = new Date(ms);
      return rruleRust.DateTime.utc(
        date.getUTCFullYear(),
        date.getUTCMonth() + 1,
        date.getUTCDate(),
        date.getUTCHours(),
        date.getUTCMinutes(),
        date.getUTCSeconds(),
      );
    };
    const instants = (found) => found.map((each) => each.toDate().getTime());
    return {
      between: (from, to) => instants(parsed.between(utc(from), utc(to - 1000), true)),
      iso: (from, to) => instants(parsed.between(utc(from), utc(to - 1000), true)).map(isoOf(series.zone)),
      firstN: (limit) => instants(parsed.all(limit)),
    };
  },
};

export const library = { name: 'rrule-rust', package: 'rrule-rust', ways: [way] };

import { DateTime } from 'luxon';
import rruleModule from 'rrule';
import { basic } from './basic.js';

const { RRule } = rruleModule;

/** Answers are not to come from a cache of earlier answers: it is off. */
function parseRrule({ dtstart, rule }) {
  return new RRule(RRule.parseString(`DTSTART:${basic(dtstart)}Z\nRRULE:${rule}`), true);
}

/** rrule in floating time, as its documentation advises, with luxon to turn each local time into an instant. */
const way = {
  parse: parseRrule,
  compile({ dtstart, zone, rule }) {
    const parsed = parseRrule({ dtstart, rule });
    const inZone = (date) => DateTime.fromJSDate(date, { zone: 'utc' }).setZone(zone, { keepLocalTime: true });
    const instant = (date) => inZone(date).toMillis();
    const local = (ms) => new Date(ms + DateTime.fromMillis(ms, { zone }).offset * 60_000);
    return {
      between: (from, to) => parsed.between(local(from), new Date(local(to) - 1), true).map(instant),
      iso: (from, to) =>
        parsed
          .between(local(from), new Date(local(to) - 1), true)
          .map((date) => inZone(date).toISO({ suppressMilliseconds: true })),
      firstN: (limit) => parsed.all((_, index) => index < limit).map(instant),
    };
  },
};

export const library = { name: 'rrule + luxon', package: 'rrule', ways: [way] };

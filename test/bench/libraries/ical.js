import ICAL from 'ical.js';
import { DateTime } from 'luxon';
import { isoOf } from './iso-of.js';

/** ical.js in floating time (its zones need VTIMEZONE data), with luxon as for rrule. */
const way = {
  parse: ({ rule }) => ICAL.Recur.fromString(rule),
  compile({ dtstart, zone, rule }) {
    const recur = ICAL.Recur.fromString(rule);
    const start = ICAL.Time.fromDateTimeString(dtstart);
    const instant = (time) =>
      DateTime.fromObject(
        {
          year: time.year,
          month: time.month,
          day: time.day,
          hour: time.hour,
          minute: time.minute,
          second: time.second,
        },
        { zone },
      ).toMillis();
    const read = (from, to, limit) => {
      const found = [];
      const iterator = recur.iterator(start);
      // The comparison is on local seconds a day wide, so that luxon is asked only about what may be in the window.
      const low = from / 1000 - 86_400;
      for (let time = iterator.next(); time && found.length < limit; time = iterator.next()) {
        if (time.toUnixTime() < low) continue;
        const at = instant(time);
        if (at >= to) break;
        if (at >= from) found.push(at);
      }
      return found;
    };
    return {
      between: (from, to) => read(from, to, Number.POSITIVE_INFINITY),
      iso: (from, to) => read(from, to, Number.POSITIVE_INFINITY).map(isoOf(zone)),
      firstN: (limit) => read(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, limit),
    };
  },
};

export const library = { name: 'ical.js + luxon', package: 'ical.js', ways: [way] };

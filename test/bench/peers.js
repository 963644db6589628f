// The recurrence libraries that kalends is measured against. Each compiles a series and answers a window with instants.
import ICAL from 'ical.js';
import { DateTime } from 'luxon';
import rruleModule from 'rrule';
import rruleRust from 'rrule-rust';
import { RRuleTemporal } from 'rrule-temporal';

const { RRule } = rruleModule;

function basic(dtstart) {
  return dtstart.replaceAll(/[-:]/g, '');
}

/** Answers are not to come from a cache of earlier answers, so rrule's and rrule-rust's are off. */
function parseRrule({ dtstart, rule }) {
  return new RRule(RRule.parseString(`DTSTART:${basic(dtstart)}Z\nRRULE:${rule}`), true);
}

function parseRust({ dtstart, zone, rule }) {
  const set = rruleRust.RRuleSet.fromString(`DTSTART;TZID=${zone}:${basic(dtstart)}\nRRULE:${rule}`);
  set.cache.disable();
  return set;
}

/** rrule in floating time, as its documentation advises, with luxon to turn each local time into an instant. */
const rruleLuxon = {
  name: 'rrule + luxon',
  parse: parseRrule,
  compile({ dtstart, zone, rule }) {
    const parsed = parseRrule({ dtstart, rule });
    const instant = (date) =>
      DateTime.fromJSDate(date, { zone: 'utc' }).setZone(zone, { keepLocalTime: true }).toMillis();
    const local = (ms) => new Date(ms + DateTime.fromMillis(ms, { zone }).offset * 60_000);
    return {
      between: (from, to) => parsed.between(local(from), new Date(local(to) - 1), true).map(instant),
      firstN: (limit) => parsed.all((_, index) => index < limit).map(instant),
    };
  },
};

const temporal = {
  name: 'rrule-temporal',
  parse: ({ dtstart, zone, rule }) =>
    new RRuleTemporal({ rruleString: `DTSTART;TZID=${zone}:${basic(dtstart)}\nRRULE:${rule}`, maxIterations: 100_000 }),
  compile(series) {
    const parsed = temporal.parse(series);
    const instants = (found) => found.map((each) => each.epochMilliseconds);
    return {
      between: (from, to) => instants(parsed.between(new Date(from), new Date(to - 1), true)),
      firstN: (limit) => instants(parsed.all((_, index) => index < limit)),
    };
  },
};

const rust = {
  name: 'rrule-rust',
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
      firstN: (limit) => instants(parsed.all(limit)),
    };
  },
};

/** ical.js in floating time (its zones need VTIMEZONE data), with luxon as for rrule. */
const ical = {
  name: 'ical.js',
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
      firstN: (limit) => read(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, limit),
    };
  },
};

export const peers = [rruleLuxon, temporal, rust, ical];

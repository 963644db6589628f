import { RRuleTemporal } from 'rrule-temporal';
import { basic } from './basic.js';

/** Bounds may be Dates, or objects of its own Temporal, made before the time is taken: the faster way counts. */
const ways = [
  (from, to) => [new Date(from), new Date(to - 1)],
  (from, to, { constructor: ZonedDateTime, timeZoneId }) =>
    [from, to - 1].map((ms) => new ZonedDateTime(BigInt(ms) * 1_000_000n, timeZoneId)),
].map((boundsOf) => {
  const parse = ({ dtstart, zone, rule }) =>
    new RRuleTemporal({
      rruleString: `DTSTART;TZID=${zone}:${basic(dtstart)}\nRRULE:${rule}`,
      maxIterations: 100_000,
    });
  return {
    parse,
    compile(series) {
      const parsed = parse(series);
      const bounds = new Map();
      const between = (from, to) => {
        const key = from + to;
        if (!bounds.has(key)) bounds.set(key, boundsOf(from, to, parsed.options().dtstart));
        return parsed.between(...bounds.get(key), true);
      };
      const instants = (found) => found.map((each) => each.epochMilliseconds);
      return {
        between: (from, to) => instants(between(from, to)),
        iso: (from, to) => between(from, to).map((each) => each.toString({ timeZoneName: 'never' })),
        firstN: (limit) => instants(parsed.all((_, index) => index < limit)),
      };
    },
  };
});

export const library = { name: 'rrule-temporal', package: 'rrule-temporal', ways };

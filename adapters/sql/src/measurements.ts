import type { MeasurementRow, MeasurementStore } from 'kalends/ports';
import type { SqlContext } from './context.ts';
import { batches, oneOf, statement, valueRows } from './statements/statement.ts';

/** Stores measurements: one row for each minute of each series. */
export function measurementStore({ database, reader, dialect }: SqlContext): MeasurementStore {
  return {
    add: (rows) =>
      dialect.transaction(database, async (transaction) => {
        const run = statement(dialect, transaction);
        for (const batch of batches(oneForEachKey(rows))) {
          await run`insert into kalends_measurement (minute_at, name, provider, result, count, sum, max)
            values ${valueRows(batch.map(valuesOf))}
            on conflict (minute_at, name, provider, result) do update set
              count = kalends_measurement.count + excluded.count,
              sum = kalends_measurement.sum + excluded.sum,
              max = case when excluded.max > kalends_measurement.max then excluded.max else kalends_measurement.max end`;
        }
      }),
    list({ names, from, to, stepMs }) {
      const run = statement(dialect, reader);
      return run<MeasurementRow>`select minute_at - minute_at % ${stepMs} as at, name, provider, result,
          cast(sum(count) as bigint) as count, sum(sum) as sum, max(max) as max
        from kalends_measurement where minute_at >= ${from} and minute_at < ${to} and name ${oneOf(names)}
        group by 1, name, provider, result order by 1, name, provider, result`;
    },
    async purge(before, limit) {
      const run = statement(dialect, database);
      const removed = await run`delete from kalends_measurement where (minute_at, name, provider, result) in
        (select minute_at, name, provider, result from kalends_measurement where minute_at < ${before}
          order by minute_at, name, provider, result limit ${limit}) returning 1`;
      return removed.length;
    },
  };
}

/**
 * Joins rows of one key, which a statement may not add twice, and sorts them, so that two transactions with the same keys never
 * wait for each other in a circle.
 */
function oneForEachKey(rows: readonly MeasurementRow[]): readonly MeasurementRow[] {
  const joined = new Map<string, MeasurementRow>();
  for (const row of rows) {
    const key = JSON.stringify([row.at, row.name, row.provider, row.result]);
    const other = joined.get(key);
    joined.set(key, other === undefined ? row : sumOf(other, row));
  }
  return [...joined].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
}

function sumOf(one: MeasurementRow, other: MeasurementRow): MeasurementRow {
  return {
    ...one,
    count: one.count + other.count,
    sum: one.sum + other.sum,
    max: Math.max(one.max, other.max),
  };
}

const valuesOf = ({ at, name, provider, result, count, sum, max }: MeasurementRow) => [
  at,
  name,
  provider,
  result,
  count,
  sum,
  max,
];

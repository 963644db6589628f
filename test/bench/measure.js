import { performance } from 'node:perf_hooks';

/** Keeps what was computed alive, so that no run is optimised away. */
let kept;

/** The time of one call in milliseconds: the best of several batches, each at least `batchMs` long. */
export function timeOf(work, { batches = 5, batchMs = 40, maxMs = 4000 } = {}) {
  const started = performance.now();
  let calls = 1;
  let best = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < batches; ) {
    const begin = performance.now();
    for (let call = 0; call < calls; call++) kept = work(call);
    const spent = performance.now() - begin;
    if (spent >= batchMs || spent * 4 > maxMs) {
      best = Math.min(best, spent / calls);
      batch++;
    } else {
      calls = Math.ceil(calls * Math.min(10, Math.max(2, (batchMs * 1.2) / Math.max(spent, 0.001))));
    }
    if (performance.now() - started > maxMs) return Math.min(best, spent / calls);
  }
  return kept === undefined ? best : best;
}

/** A duration in a unit that reads well. */
export function text(ms) {
  if (ms < 0.001) return `${(ms * 1e6).toFixed(0)} ns`;
  if (ms < 1) return `${(ms * 1e3).toPrecision(3)} µs`;
  return ms < 1000 ? `${ms.toPrecision(3)} ms` : `${(ms / 1000).toPrecision(3)} s`;
}

/** Prints rows of texts as columns. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** CPU of this process in milliseconds, which other programs on the machine do not move. */
export const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

// Imports of iCalendar files: events per second and requests per event of each provider in the sandbox, and the memory of a file of 100 MB.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Few enough that the sandbox, which searches its events one by one, is not what is measured. */
const EVENTS = 1_000;
const PROCESS = fileURLToPath(new URL('import-process.js', import.meta.url));

function measure(folder, ...args) {
  const env = { ...process.env, KALENDS_BENCH_FOLDER: folder };
  const { stdout, stderr, status } = spawnSync(process.execPath, [PROCESS, ...args.map(String)], { env });
  if (status !== 0) throw new Error(String(stderr));
  return JSON.parse(String(stdout));
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

export function run() {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-bench-'));
  try {
    for (const target of ['google', 'microsoft', 'caldav']) {
      const { tookMs, requests, requestMs, peakMb, counts } = measure(folder, target, EVENTS, 200);
      const rate = Math.round(EVENTS / (tookMs / 1000));
      console.log(
        `${target}: ${counts.created} events in ${seconds(tookMs)} (${rate}/s), ${requests} requests of ${seconds(requestMs)}, at most ${peakMb} MB with the sandbox`,
      );
    }
    const parse = measure(folder, 'parse', 99_000, 1_000);
    console.log(`reading 100 MB: ${seconds(parse.tookMs)}, at most ${parse.peakMb} MB`);
    const dry = measure(folder, 'google', 99_000, 1_000, 'dry');
    console.log(
      `dry run of 100 MB: read in ${seconds(dry.readMs)}, over after ${seconds(dry.tookMs)}, at most ${dry.peakMb} MB with the sandbox`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

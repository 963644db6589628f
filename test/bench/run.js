// Runs the benchmarks of this folder, or those whose file name holds an argument: npm run bench -- recurrence
// With --write, those that have a published table write it. With --report, docs/benchmarks.md is written.
// The soak and the costs take long and measure no speed: they run only when they are named.
import { readdir } from 'node:fs/promises';
import { installPeers } from './install-peers.js';
import { writeReport } from './write-report.js';

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--') && argument !== 'all');
const write = process.argv.includes('--write');
const files = (await readdir(new URL('.', import.meta.url))).filter((file) => file.endsWith('.bench.js')).sort();
const chosen = files.filter((file) =>
  wanted.length === 0 ? !/^(soak|cost)/.test(file) : wanted.some((name) => file.includes(name)),
);
if (chosen.length === 0) {
  console.error(`no benchmark matches ${wanted.join(', ')}; there are ${files.join(', ')}`);
  process.exitCode = 1;
}
if (chosen.length > 0) installPeers();
if (process.argv.includes('--report')) await writeReport(chosen);
else {
  for (const file of chosen) {
    const { run } = await import(new URL(file, import.meta.url).href);
    await run({ write });
  }
}

// Prints the milliseconds from the import of a library to its first answer, in a process that does nothing else.
import { performance } from 'node:perf_hooks';
import { libraryOf } from './libraries.js';

const begin = performance.now();
const { ways } = await libraryOf(process.argv[2]);
const series = { zone: 'America/New_York', dtstart: '2010-01-04T09:00:00', rule: 'FREQ=DAILY' };
const { length } = ways[0].compile(series).between(Date.UTC(2026, 5, 1), Date.UTC(2026, 5, 8));
console.log(length === 7 ? performance.now() - begin : 'WRONG');

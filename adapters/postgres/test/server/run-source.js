// Runs a TypeScript module of this repository in a Node process of its own, without a build: its exported `main` with
// the remaining arguments. For tests that kill processes, and for what is too large for the tests.
import { resolve } from 'node:path';
import { loadSource } from './load-source.js';

const [path = '', ...parameters] = process.argv.slice(2);
const { module, close } = await loadSource(resolve(path));
await module.main(...parameters);
await close();

// `kalends start` in a process of its own, configured by its environment.
import { runServer } from '../../src/serve/serve-command.ts';

process.exitCode = await runServer('start', []);

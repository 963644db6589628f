// Serves app.js in Deno: deno serve --allow-all --port=3000 deno.js
import process from 'node:process';
import app from './app.js';
import { engine } from './calendar.js';

// At SIGTERM `deno serve` stops to listen, and ends once nothing is left to do: the engine must stop as well.
process.once('SIGTERM', () => engine.stop());

export default app;

/*
 * Loads the undici within Node.js, which sets the dispatcher of the process's `fetch`. Our version of undici would set one of its
 * own where there is none yet, so that the requests of the program that embeds the engine went through it. The module is named
 * in `sideEffects` of package.json, since a bundler would leave it out.
 */
Reflect.get(globalThis, 'Request');

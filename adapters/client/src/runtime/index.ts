export { type Deadline, deadline, requireTimeout } from './deadline.ts';
export { jittered } from './jittered.ts';
export { randomKey } from './random-key.ts';
export { sleep } from './sleep.ts';
export { systemNow } from './system-now.ts';
export { untilAborted } from './until-aborted.ts';

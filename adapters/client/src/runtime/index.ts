export { type Deadline, deadline } from './deadline.ts';
export { randomKey } from './random-key.ts';
export { sleep } from './sleep.ts';
export { systemNow } from './system-now.ts';

import { signal } from '@preact/signals';

/** How far the server's clock is ahead of the browser's: a demo's clock can be turned. */
export const serverAheadMs = signal(0);

/** Returns the time of the server, in epoch milliseconds. */
export const serverNow = (): number => Date.now() + serverAheadMs.value;

/** Returns a time from one to two times as long, so that clients that failed together do not come back together. */
export const jittered = (ms: number): number => ms * (1 + Math.random());

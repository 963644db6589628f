/** Returns the machine's time, in epoch milliseconds. */
export const systemNow = (): number => Date.now();

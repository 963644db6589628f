/** Calls back before the next event, once all that can go on without one has gone on. */
export function afterMicrotasks(work: () => void): void {
  process.nextTick(work);
}

/** The CPU time that work takes, in milliseconds. Unlike the clock it does not count what other processes take. */
export function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** A text as a provider's page of events might be. */
const TEXT = JSON.stringify(
  Array.from({ length: 20_000 }, (_, index) => ({
    id: `event ${index}`,
    summary: 'A line\nand "another"',
    start: { dateTime: '2026-03-02T09:00:00Z', timeZone: 'Europe/Berlin' },
    attendees: [{ email: `person${index}@x.example`, responseStatus: 'needsAction' }],
  })),
);
const RUNS = 5;

/** Time of the work on a quiet machine, in milliseconds: limits of time in tests are meant for that one. */
const QUIET_MS = 14;

/** Returns how many times longer this machine takes for a fixed piece of work, at this moment, than a quiet one. */
export function slowness(): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run += 1) {
    const before = process.cpuUsage();
    JSON.parse(TEXT);
    const { user, system } = process.cpuUsage(before);
    leastMs = Math.min(leastMs, (user + system) / 1_000);
  }
  return leastMs / QUIET_MS;
}

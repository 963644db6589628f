/** Returns the version of the runtime's tz data, for instance `2026b`; `unknown` where the runtime does not tell it. */
export function zoneDataVersion(): string {
  return process.versions['tz'] ?? 'unknown';
}

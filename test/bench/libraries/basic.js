/** Returns `20260301T090000` for `2026-03-01T09:00:00`. */
export function basic(dtstart) {
  return dtstart.replaceAll(/[-:]/g, '');
}

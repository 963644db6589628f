/** Returns the values of a unit's settings by name, in the order of the file, with specifiers and paths of a test in place. */
export function readUnit(
  text: string,
  replacements: Readonly<Record<string, string>>,
): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const at = line.indexOf('=');
    if (at < 0 || line.startsWith('#')) continue;
    const value = Object.entries(replacements).reduce(
      (filled, [from, to]) => filled.replaceAll(from, to),
      line.slice(at + 1),
    );
    values.set(line.slice(0, at), [...(values.get(line.slice(0, at)) ?? []), value]);
  }
  return values;
}

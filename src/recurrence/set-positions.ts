/**
 * Picks BYSETPOS out of a period's slots, which are every day combined with every time of day: the picked slots as
 * milliseconds from day 0, ascending, each once. The combination itself is never built, it may have half a million
 * members.
 * @see RFC 5545 §3.3.10, BYSETPOS
 */
export function pickPositions(
  days: readonly number[],
  times: readonly number[],
  positions: readonly number[],
  dayMs: number,
): number[] {
  const size = days.length * times.length;
  const picked: number[] = [];
  for (const position of positions) {
    const index = position > 0 ? position - 1 : size + position;
    if (index >= 0 && index < size) {
      picked.push(days[Math.floor(index / times.length)]! * dayMs + times[index % times.length]!);
    }
  }
  return picked.length < 2 ? picked : [...new Set(picked)].sort((a, b) => a - b);
}

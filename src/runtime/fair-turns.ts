/** Those who wait, by lane; the lane whose turn is next stands first. */
const waiting = new Map<string, (() => void)[]>();
let isScheduled = false;

/**
 * Resolves in a later turn of the event loop. Only one of all who wait goes on in each turn, and lanes take it in
 * rotation: however many requests of one tenant are at work, a turn takes as long as one step of one of them, and
 * another tenant's request waits for one such step, not for all of them.
 * @param lane for instance the application's id
 */
export function takeTurn(lane: string): Promise<void> {
  return new Promise((resolve) => {
    const line = waiting.get(lane);
    if (line === undefined) waiting.set(lane, [resolve]);
    else line.push(resolve);
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(resumeNext);
  });
}

function resumeNext(): void {
  isScheduled = false;
  const [lane, line] = waiting.entries().next().value ?? [];
  if (lane === undefined || line === undefined) return;
  waiting.delete(lane);
  const resume = line.shift();
  if (line.length > 0) waiting.set(lane, line);
  if (waiting.size > 0) {
    isScheduled = true;
    setImmediate(resumeNext);
  }
  resume?.();
}

/** Waiting callers by lane, the next lane first. */
const waiting = new Map<string, (() => void)[]>();
let isScheduled = false;

/**
 * Resolves in a later turn of the event loop. Each turn admits one caller, and lanes rotate: however many requests of one
 * tenant are running, a turn takes one step of one of them, and another tenant's request waits for one such step only.
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

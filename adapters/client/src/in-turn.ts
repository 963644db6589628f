import { untilAborted } from './runtime/index.ts';

interface Turn {
  /** Everything that the work depends on. */
  readonly subject: readonly unknown[];
  hasBegun: boolean;
  readonly result: Promise<unknown>;
  /** Resolves when this turn and those before it have ended. */
  readonly end: Promise<void>;
}

/** The last turn of each owner. */
const turns = new WeakMap<object, Turn>();

/**
 * Does the works of one owner one after the other. While the last one in line has not begun, a call about the same subject shares it:
 * it will see all that was there at the call.
 * @throws the reason of the signal when it is aborted before the work begins
 */
export function inTurn<Result>(
  owner: object,
  subject: readonly unknown[],
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const last = turns.get(owner);
  const isSame = last?.subject.every((part, index) => part === subject[index]);
  if (last?.hasBegun === false && isSame) return last.result as Promise<Result>;
  const before = last?.end ?? Promise.resolve();
  const result = untilAborted(before, signal).then(() => {
    turn.hasBegun = true;
    return work();
  });
  const end = Promise.allSettled([before, result]).then(() => {
    if (turns.get(owner) === turn) turns.delete(owner);
  });
  const turn: Turn = { subject, hasBegun: false, result, end };
  turns.set(owner, turn);
  return result;
}

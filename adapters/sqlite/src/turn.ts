import { nextTurn } from 'kalends/runtime';

/** Greatest work of one turn of the event loop, in simple statements: some tens of milliseconds. */
const LIMIT = 1_000;

/**
 * Counts the work of statements in one turn of the event loop. A synchronous driver answers before anything else can happen,
 * so a long loop over it would delay timers and sockets to its end. Counting, not measuring, keeps the order of events in a
 * test the same on every machine.
 */
export interface Turn {
  add(parameters: number, rows: number): void;
  readonly isSpent: boolean;
  /** Resolves in the next turn. */
  next(): Promise<void>;
}

export function createTurn(): Turn {
  let spent = 0;
  let isCounting = false;
  return {
    add(parameters, rows) {
      spent += 1 + parameters / 32 + rows / 4;
      if (isCounting) return;
      isCounting = true;
      void nextTurn().then(() => {
        isCounting = false;
        spent = 0;
      });
    },
    get isSpent() {
      return spent >= LIMIT;
    },
    next: () => nextTurn(),
  };
}

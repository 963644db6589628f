import { useRef, useState } from 'preact/hooks';
import { ProblemError } from './problem.ts';

/** Something that a person does and waits for. */
export interface Action<Input extends readonly unknown[], Result> {
  readonly isRunning: boolean;
  readonly error: ProblemError | undefined;
  /** Runs it, unless it is running; resolves with undefined where it was refused. */
  run(...input: Input): Promise<Result | undefined>;
  clear(): void;
}

/** Keeps the state of an action: one run at a time, and its refusal. */
export function useAction<Input extends readonly unknown[], Result>(
  work: (...input: Input) => Promise<Result>,
): Action<Input, Result> {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<ProblemError>();
  const running = useRef(false);
  return {
    isRunning,
    error,
    async run(...input) {
      if (running.current) return undefined;
      running.current = true;
      setRunning(true);
      setError(undefined);
      try {
        return await work(...input);
      } catch (refusal) {
        if (!(refusal instanceof ProblemError)) throw refusal;
        setError(refusal);
        return undefined;
      } finally {
        running.current = false;
        setRunning(false);
      }
    },
    clear: () => setError(undefined),
  };
}

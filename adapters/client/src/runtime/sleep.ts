import { untilAborted } from './until-aborted.ts';

/** Resolves after the time. @throws the reason of the signal once it is aborted */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return untilAborted(passed, signal).finally(() => clearTimeout(timer));
}

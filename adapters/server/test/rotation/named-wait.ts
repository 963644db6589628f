/** Far beyond what a step takes on a busy machine, and far below the bound of the whole drill. */
const LONGEST_MS = 90_000;

/** Waits for a step of the drill. One that does not end fails by what it waits for, not by the bound of the test. */
export async function namedWait<Value>(work: Promise<Value>, waitedFor: () => string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`after ${LONGEST_MS / 1_000} s still waiting for ${waitedFor()}`)),
      LONGEST_MS,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

import { createHash } from 'node:crypto';
import type { Logger } from 'kalends/ports';
import { isNameRefused } from './failures.ts';

/** Returns the name under which sessions keep the plan of a statement; undefined where they keep none. */
export type NameOf = (text: string) => string | undefined;

/**
 * Runs work whose statements are sent under names, so that a session keeps their plans: planning one takes several times as long as
 * running it. After a few runs a kept plan ignores the parameters and the growth of its tables: it is good only for statements
 * that find their rows by keys, or whose joins are forced into look-ups. Behind a proxy that shares sessions without their
 * statements, all are sent unnamed from the first refusal on; the work that met it runs again.
 */
export type KeptPlans = <Result>(work: (nameOf: NameOf) => Promise<Result>) => Promise<Result>;

export function createKeptPlans(logger: Logger): KeptPlans {
  const names = new Map<string, string>();
  let areKept = true;

  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `kalends_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    names.set(text, name);
    return name;
  };

  return async (work) => {
    if (!areKept) return await work(() => undefined);
    try {
      return await work(nameOf);
    } catch (error) {
      if (!isNameRefused(error)) throw error;
      if (areKept) logger.warn('sessions do not keep prepared statements: from now on they are planned each time');
      areKept = false;
      return await work(() => undefined);
    }
  };
}

import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Set by `test/long.config.ts`. */
    readonly isLong?: boolean;
    /** The sizes that `npm run prove` asks for, by name. */
    readonly sizes?: Readonly<Record<string, number>>;
    /** Folder of files that `npm run prove` is given. */
    readonly folder?: string;
  }
}

export interface Sizes {
  /** In `npm test`. */
  readonly short: number;
  /** In `npm run test:long`. */
  readonly long: number;
}

/** Returns how much a test plays: a few cases by default, many in the long suite, or what `npm run prove` asks for. */
export function sizeOf(name: string, { short, long }: Sizes): number {
  return inject('sizes')?.[name] ?? (inject('isLong') ? long : short);
}

import type { Clock, Logger, Random } from 'kalends/ports';

/** Options of every way to serve. */
export interface McpOptions {
  /** Leaves out the tools that write. @default false */
  readonly readOnly?: boolean;
  /** About how many tokens of a model an answer may take; longer ones come in pages. @default 4,000 */
  readonly tokenBudget?: number;
  /** How long a preview can be committed, in milliseconds. @default 10 minutes */
  readonly previewMs?: number;
  /**
   * At least 32 bytes that sign previews. Processes behind one address need the same ones.
   * @default random bytes of this process
   */
  readonly previewKey?: Uint8Array;
  /** @default silent */
  readonly logger?: Logger;
  /** @default the system clock */
  readonly clock?: Clock;
  /** @default node:crypto */
  readonly random?: Random;
}

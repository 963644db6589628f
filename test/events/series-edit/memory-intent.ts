import type { EventChange } from 'kalends/ports';
import type { EventIntent } from '../../../src/events/write/event-intent.ts';

/** An intent whose journal goes through JSON as it does in a database. */
export interface MemoryIntent {
  readonly held: EventIntent;
  /** The journal as another process would read it. */
  stored(): unknown;
  /** Its end; undefined while it is open. */
  ended(): readonly EventChange[] | undefined;
}

/** `onRecord` runs before a record is durable, `onRecorded` after: either may throw, as a process dies. */
export function memoryIntent(
  data: unknown,
  hooks: { readonly onRecord?: () => void; readonly onRecorded?: () => void } = {},
): MemoryIntent {
  let text = JSON.stringify(data);
  let end: readonly EventChange[] | undefined;
  return {
    stored: () => JSON.parse(text),
    ended: () => end,
    held: {
      ref: { applicationId: 'app_1', id: 'ab'.repeat(16), epoch: 1 },
      get data() {
        return JSON.parse(text);
      },
      async record(next) {
        hooks.onRecord?.();
        text = JSON.stringify(next);
        hooks.onRecorded?.();
      },
      held: undefined,
      apply: async () => ({ revision: 1, left: undefined }),
      async finish(changes) {
        end = changes;
        return { revision: 1, left: undefined };
      },
      async cancel() {
        end = [];
      },
    },
  };
}

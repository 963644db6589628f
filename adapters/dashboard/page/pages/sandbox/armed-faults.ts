import type { ProblemError } from '../../api/problem.ts';
import type { Call } from '../../api/request.ts';
import { useResource } from '../../api/use-resource.ts';
import { sandboxTexts } from '../../texts/en/sandbox.ts';
import { inbox, readInbox } from './inbox.ts';

const texts = sandboxTexts.faults;

/** A fault as the sandbox tells of it. */
interface Fault {
  readonly id: string;
  readonly provider: 'google' | 'microsoft';
  readonly kind: 'answer' | 'answer-after' | 'delay' | 'reset';
  readonly status?: number;
  readonly delayMs?: number;
  readonly times?: number;
  readonly hits: number;
}

interface NotificationFaults {
  readonly drop?: number;
  readonly duplicate?: number;
}

/** Lists the faults that are armed, each with the call that ends it. */
export interface ArmedFaults {
  readonly lines: readonly {
    readonly key: string;
    readonly text: string;
    readonly detail?: string;
    readonly clear: Call;
  }[];
  readonly error: ProblemError | undefined;
  reload(): Promise<void>;
}

/** Reads what is broken now. */
export function useArmedFaults(): ArmedFaults {
  const faults = useResource<{ readonly faults: readonly Fault[] }>({ path: '/sandbox/faults' });
  const notifications = useResource<NotificationFaults>({ path: '/sandbox/notification-faults' });
  const { drop = 0, duplicate = 0 } = notifications.data ?? {};
  const failure = inbox.value?.failure ?? null;
  const mended: Call = { method: 'PUT', path: '/sandbox/notification-faults', body: {} };
  return {
    lines: [
      ...(faults.data?.faults ?? []).map((fault) => ({
        key: fault.id,
        text: faultText(fault),
        detail: texts.hits(fault.hits, fault.times),
        clear: { method: 'DELETE', path: `/sandbox/faults/${fault.id}` } satisfies Call,
      })),
      ...(drop > 0 ? [{ key: 'drop', text: texts.drop(100 * drop), clear: mended }] : []),
      ...(duplicate > 0 ? [{ key: 'duplicate', text: texts.duplicate(100 * duplicate), clear: mended }] : []),
      ...(failure === null
        ? []
        : [
            {
              key: 'receiver',
              text: texts.receiver(failure.status, failure.times),
              clear: { method: 'DELETE', path: '/sandbox/inbox/answer' } satisfies Call,
            },
          ]),
    ],
    error: faults.error ?? notifications.error,
    async reload() {
      await Promise.all([faults.reload(), notifications.reload(), readInbox().catch(() => undefined)]);
    },
  };
}

function faultText({ provider, kind, status = 0, delayMs = 0 }: Fault): string {
  const name = sandboxTexts.providers[provider];
  const { armedFaults } = texts;
  if (kind === 'delay') return armedFaults.delay(name, delayMs / 1_000);
  return kind === 'reset' ? armedFaults.reset(name) : armedFaults[kind](name, status);
}

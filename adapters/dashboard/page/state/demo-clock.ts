import { signal } from '@preact/signals';
import { readLines } from '../api/read-lines.ts';
import { request } from '../api/request.ts';
import { serverAheadMs } from './server-time.ts';

/** The clock of a demo. Instants are epoch milliseconds. */
export interface DemoClock {
  readonly epochMs: number;
  /** How far it was turned. */
  readonly offsetMs: number;
  /** The turn that runs. */
  readonly turn: {
    readonly fromAt: number;
    readonly toAt: number;
    readonly at: number;
    readonly wakeUps: number;
  } | null;
}

export const demoClock = signal<DemoClock | undefined>(undefined);

function show(clock: DemoClock): void {
  demoClock.value = clock;
  serverAheadMs.value = clock.epochMs - Date.now();
}

export async function readDemoClock(): Promise<void> {
  show(await request<DemoClock>({ path: '/sandbox/clock' }));
}

/** Shows the turn that runs until it ends. */
export async function followTurn(signal: AbortSignal): Promise<void> {
  await readLines<DemoClock>('/sandbox/clock/progress', show, signal);
}

/** Begins to turn the clock. */
export async function turnClock(ms: number): Promise<void> {
  show(await request<DemoClock>({ method: 'POST', path: '/sandbox/clock/advance', body: { ms } }));
}

import { setMaxListeners } from 'node:events';
import type { ProviderRegistry } from '../accounts/index.ts';
import { createLeaseKeeper, LEASE_MS } from '../leases/index.ts';
import type { Clock, Logger, Storage } from '../ports/index.ts';
import type { WakeUp } from '../runtime/index.ts';
import type { PushAddress } from './channel-opening.ts';
import type { ChannelUpkeep } from './channel-upkeep.ts';
import type { ReadChannels } from './read-channels.ts';

const BATCH = 20;
/** Hosts mount our routes right after the engine's start, and Graph calls them while a channel opens. */
const START_GRACE_MS = 2_000;
const LONGEST_SLEEP_MS = 60_000;

export interface ChannelWorkerDeps {
  readonly storage: Pick<Storage, 'channels'>;
  readonly registry: ProviderRegistry;
  readonly upkeep: ChannelUpkeep;
  readonly reads: ReadChannels;
  readonly pushAddress: PushAddress;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly wakeUp: WakeUp;
}

/** A claimed channel, held until `renewAt`. */
interface ChannelHold {
  readonly id: string;
  renewAt: number;
}

/** Claims channels whose upkeep is due and maintains them, until the signal aborts. */
export async function runChannelWorker(deps: ChannelWorkerDeps, signal: AbortSignal): Promise<void> {
  const { storage, upkeep, reads, clock, wakeUp } = deps;
  const holds = createLeaseKeeper(async (held: readonly ChannelHold[]) => {
    const renewAt = await storage.channels.extendHold(held, LEASE_MS);
    for (const hold of held) hold.renewAt = renewAt;
  }, deps);
  const pause = (ms: number) =>
    wakeUp.wait(ms, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });

  // Each channel of a batch listens to the signal, which is not a leak.
  setMaxListeners(0, signal);
  await reopenMovedChannels(deps);
  await pause(START_GRACE_MS);
  while (!signal.aborted) {
    await reads.openRequested(signal);
    const claimed = await storage.channels.claimRenewals({ holdMs: LEASE_MS, limit: BATCH });
    await Promise.all(
      claimed.map((row) => holds.during({ id: row.id, renewAt: row.renewAt }, () => upkeep.maintain(row, signal))),
    );
    if (claimed.length > 0) continue;
    const dueAt = await storage.channels.nextRenewalAt();
    const sleepMs = dueAt === null ? LONGEST_SLEEP_MS : Math.max(100, dueAt - clock.now());
    await pause(Math.min(LONGEST_SLEEP_MS, sleepMs));
  }
}

/** Makes channels due that were opened under another public address. */
async function reopenMovedChannels({ storage, registry, pushAddress }: ChannelWorkerDeps): Promise<void> {
  for (const providerType of registry.types) {
    await storage.channels.dueUnlessAddress(providerType, pushAddress(providerType) ?? '');
  }
}

import type { AwaitKind } from './process.ts';

/** Awaits at which processes are killed, each before and after. */
export const KILLED_AWAITS: readonly AwaitKind[] = [
  'accounts.find',
  'accounts.findCredential',
  'accounts.replaceTokens',
  'channels.claimRenewals',
  'channels.list',
  'fetch GET',
  'fetch PATCH',
  'fetch POST',
  'fetch token',
  'intents.begin',
  'intents.claimAbandoned',
  'leases.claim',
  'leases.release',
  'mirror.commit',
  'mirror.endSweep',
  'mirror.find',
  'mirror.findItem',
  'mirror.findProviderToken',
  'mirror.listRereads',
  'mirror.listUnseen',
  'mirror.readGroups',
  'mirror.startSweep',
  'schedule.claimDueAccount',
  'schedule.finish',
  'schedule.get',
  'schedule.hint',
  'sleep',
];

/** Faults of the provider and of processes, beside those of single requests. */
export const EVENT_FAULTS = [
  'push dropped',
  'push doubled',
  'push held back',
  'sync tokens expired',
  'access tokens expired',
  'push channels expired',
  'process paused',
  'process killed',
] as const;

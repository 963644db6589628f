import { REQUEST_FAULTS } from './network.ts';
import type { AwaitKind } from './process.ts';
import type { ProviderName } from './provider-acts.ts';

const KILLED_AWAITS: readonly AwaitKind[] = [
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
  'pulls.begin',
  'pulls.end',
  'schedule.claimDueAccounts',
  'schedule.finish',
  'schedule.get',
  'schedule.hint',
  'sleep',
];

/** Faults of the provider and of processes, beside those of single requests. */
const EVENT_FAULTS = [
  'push dropped',
  'push doubled',
  'push held back',
  'sync tokens expired',
  'access tokens expired',
  'push channels expired',
  'process paused',
  'process killed',
] as const;

/** Google's reconciliation reads whole events: no resume point is noted beside a comparison of tags. */
const NOT_OF_GOOGLE = ['mirror.findProviderToken'];

/** CalDAV has no tokens of OAuth and no push. */
const NOT_OF_CALDAV = [
  'accounts.replaceTokens',
  'channels.claimRenewals',
  'fetch GET',
  'fetch PATCH',
  'fetch POST',
  'fetch token',
];
const AWAITS: Readonly<Record<ProviderName, readonly AwaitKind[]>> = {
  google: KILLED_AWAITS.filter((kind) => !NOT_OF_GOOGLE.includes(kind)),
  microsoft: KILLED_AWAITS,
  caldav: [
    ...KILLED_AWAITS.filter((kind) => !NOT_OF_CALDAV.includes(kind)),
    'fetch DELETE',
    'fetch PROPFIND',
    'fetch PUT',
    'fetch REPORT',
  ],
};

/** Awaits of holds at which processes are killed besides, where a history has bookings. */
export const HOLD_AWAITS: readonly AwaitKind[] = [
  'holds.take',
  'holds.find',
  'holds.listTaken',
  'holds.listDue',
  'holds.beginConfirmation',
  'holds.book',
  'holds.replace',
  'holds.release',
  'holds.remove',
  'holds.postpone',
  'holds.settle',
];

/** Acts of callers on holds, at every provider. */
export const HOLD_ACTS = [
  'hold taken',
  'hold confirmed',
  'confirmation repeated',
  'booking moved',
  'booking cancelled',
  'hold released',
  'slot taken',
] as const;

/** Awaits at which processes are killed, each before and after. */
export function killedAwaits(provider: ProviderName): readonly AwaitKind[] {
  return AWAITS[provider];
}

/** Faults that histories of a provider must have met. Pages of CalDAV have no addresses of their own. */
export function faultsOf(provider: ProviderName): readonly string[] {
  const all = [...REQUEST_FAULTS, ...EVENT_FAULTS];
  return provider === 'caldav' ? all.filter((kind) => !/^push|^access|^page/.test(kind)) : all;
}

import type { CollectionHealth, SyncHealth } from 'kalends/model';
import type { Tone } from '../../parts/state-label.tsx';
import { relativeTime } from '../../parts/time.tsx';
import { accountsTexts } from '../../texts/en/accounts.ts';

const texts = accountsTexts.health;
const WEEK_MS = 7 * 86_400_000;

export type HealthState = keyof typeof texts.states;

export const HEALTH_TONES: Readonly<Record<HealthState, Tone>> = {
  current: 'good',
  remarked: 'warning',
  failing: 'bad',
  first: 'neutral',
  stopped: 'neutral',
};

/** The sync of one collection in words. */
export interface HealthWords {
  readonly state: HealthState;
  /** The age of its mirror, and how changes arrive. */
  readonly text: string;
  /** Remarks beside that. */
  readonly remarks: readonly string[];
}

/** Says how far a collection is in sync; `zone` is that of the times in it. */
export function healthWords(
  health: CollectionHealth,
  { status, now, zone }: Pick<SyncHealth, 'status'> & { readonly now: number; readonly zone: string },
): HealthWords {
  const { syncedAt, isPushPending, setAside, failures, lastFailure, missingSince } = health;
  const ago = (at: string) => relativeTime(Date.parse(at), now);
  const remarks = [
    ...(missingSince === null ? [] : [texts.missing(ago(missingSince))]),
    ...(failures === 0 ? [] : [texts.failures(failures, lastFailure === null ? '' : ago(lastFailure.at))]),
    ...(setAside === 0 ? [] : [texts.setAside(setAside)]),
  ];
  if (status === 'EXPIRED') {
    return { state: 'stopped', text: syncedAt === null ? texts.neverRead : texts.stopped(ago(syncedAt)), remarks };
  }
  if (syncedAt === null) return { state: failures > 0 ? 'failing' : 'first', text: texts.first, remarks };
  const parts = [
    (isBehind(health) ? texts.lastRead : texts.upToDate)(ago(syncedAt)),
    ...(isPushPending ? [texts.pushPending] : []),
    arrivalOf(health, now, zone),
  ];
  return { state: stateOf(health), text: parts.join(', '), remarks };
}

/** Whether the mirror no longer follows the provider. */
const isBehind = ({ failures, missingSince }: CollectionHealth): boolean => failures > 0 || missingSince !== null;

function stateOf(health: CollectionHealth): HealthState {
  if (health.failures > 1) return 'failing';
  return isBehind(health) || health.setAside > 0 ? 'remarked' : 'current';
}

function arrivalOf({ channel, pollEveryMs }: CollectionHealth, now: number, zone: string): string {
  if (channel?.kind === 'push') return texts.push(untilText(Date.parse(channel.expiresAt), now, zone));
  return pollEveryMs === null ? texts.onRead : texts.poll(pollEveryMs);
}

/** Returns a time in the coming days by its weekday, a later one by its date. */
function untilText(at: number, now: number, zone: string): string {
  const isNear = at - now < WEEK_MS - 86_400_000;
  const day = { weekday: 'long' } as const;
  const date = { day: 'numeric', month: 'long' } as const;
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...(isNear ? day : date) }).format(at);
}

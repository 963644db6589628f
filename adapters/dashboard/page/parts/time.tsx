import { useEffect, useState } from 'preact/hooks';
import { zoneChoice } from '../state/preferences.ts';
import { serverAheadMs, serverNow } from '../state/server-time.ts';

const MINE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Returns the zone in which times are shown now; `accountZone` where there is one account. */
export function shownZone(accountZone?: string | null): string {
  if (zoneChoice.value === 'utc') return 'UTC';
  return zoneChoice.value === 'account' && accountZone ? accountZone : MINE;
}

/** Returns a time with its zone: `23 Nov 2026, 14:41:50 GMT+1 (Europe/Rome)`. */
export function absoluteTime(at: number, zone: string): string {
  const text = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  }).format(at);
  return zone === 'UTC' ? text : `${text} (${zone})`;
}

/** Returns how far a time is from another: `in 3 days`, `12 seconds ago`. */
export function relativeTime(at: number, now: number): string {
  const distance = at - now;
  const [unit, length] = UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? UNITS[3];
  return relative.format(Math.round(distance / length), unit);
}

/** Returns the server's present time, anew as often as a relative time could change. */
export function useNow(everyMs = 10_000): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    setNow(serverNow());
    const timer = setInterval(() => setNow(serverNow()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, serverAheadMs.value]);
  return now;
}

interface TimeProps {
  /** ISO 8601. */
  readonly at: string | null | undefined;
  readonly accountZone?: string | null;
  /** Shown for no time. */
  readonly none?: string;
}

/** A time, relative; on hover and focus the absolute one with its zone. */
export function Time({ at, accountZone, none = '–' }: TimeProps) {
  const now = useNow();
  if (!at) return <span class="muted">{none}</span>;
  const epochMs = Date.parse(at);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the absolute time is shown on focus too
    <time class="time" tabIndex={0} dateTime={at} data-absolute={absoluteTime(epochMs, shownZone(accountZone))}>
      {relativeTime(epochMs, now)}
    </time>
  );
}

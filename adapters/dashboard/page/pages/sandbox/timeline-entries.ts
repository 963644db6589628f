import { signal } from '@preact/signals';
import type { Activity } from 'kalends/model';
import { serverNow } from '../../state/server-time.ts';

/** A line of the timeline. */
export interface TimelineEntry {
  readonly key: number;
  /** Epoch milliseconds on the server's clock. */
  readonly at: number;
  /** How many in a row were alike. */
  readonly times: number;
  readonly what: Activity | OwnAct;
}

/** Something that the person did on this page. */
export interface OwnAct {
  readonly type: 'own';
  readonly who: string;
  readonly text: string;
}

const MOST = 300;

let count = 0;

/** The timeline, newest first. It stays while other pages are open. */
export const timeline = signal<readonly TimelineEntry[]>([]);

export function noteActivity(what: Activity): void {
  timeline.value = withEntry(timeline.value, what, Date.parse(what.at));
}

export function noteOwnAct(who: string, text: string): void {
  timeline.value = withEntry(timeline.value, { type: 'own', who, text }, serverNow());
}

/** Returns the entries with another one; a pull that found nothing joins the one before it. */
function withEntry(entries: readonly TimelineEntry[], what: TimelineEntry['what'], at: number): TimelineEntry[] {
  const [newest, ...others] = entries;
  const alike = newest !== undefined && isQuiet(what) && isQuiet(newest.what) && placeOf(what) === placeOf(newest.what);
  if (alike) return [{ ...newest, at, what, times: newest.times + 1 }, ...others];
  count += 1;
  return [{ key: count, at, what, times: 1 }, ...entries.slice(0, MOST - 1)];
}

/** Tells whether an entry is a pull that found nothing. */
export const isQuiet = (what: TimelineEntry['what']): boolean =>
  what.type === 'pull.ended' && what.outcome === 'ok' && what.changed === 0;

const placeOf = (what: TimelineEntry['what']): string =>
  what.type === 'pull.ended' ? `${what.endUserAccountId} ${what.calendarId}` : '';

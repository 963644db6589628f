import { signal } from '@preact/signals';
import type { Activity, ActivityType } from 'kalends/model';
import { useEffect, useRef } from 'preact/hooks';
import { below } from '../api/request.ts';
import { applicationId } from './session.ts';

/** Pause before another try, where the browser gives up: the server refused the stream. */
const RETRY_MS = 5_000;
/** Interval at which a page that is looked at reads again: other processes have activities that this stream does not tell. */
const REREAD_MS = 60_000;
/** Every type of activity. */
export const ACTIVITY_TYPES: readonly ActivityType[] = [
  'notification.received',
  'pull.ended',
  'message.enqueued',
  'delivery.attempted',
  'account.status.changed',
  'audit.written',
];

interface Follower {
  readonly types: readonly ActivityType[];
  readonly hear: (activity: Activity) => void;
  readonly missed: () => void;
}

/** Whether activities arrive as they happen. */
export const isLive = signal(false);

/** All parts of the page share one connection, and a tab behind others has none: browsers open six to a server. */
const followers = new Set<Follower>();
let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let rereading: ReturnType<typeof setInterval> | undefined;

function readAgain(): void {
  if (document.hidden) return;
  for (const follower of followers) follower.missed();
}

function connect(): void {
  const query = applicationId.value === undefined ? '' : `?applicationId=${encodeURIComponent(applicationId.value)}`;
  const opened = new EventSource(below(`/admin/v1/activity${query}`));
  let hasOpened = false;
  source = opened;
  opened.addEventListener('open', () => {
    isLive.value = true;
    if (hasOpened) readAgain();
    hasOpened = true;
  });
  opened.addEventListener('error', () => {
    isLive.value = false;
    if (opened.readyState === EventSource.CLOSED && source === opened) retry = setTimeout(reconnect, RETRY_MS);
  });
  opened.addEventListener('activities.lost', readAgain);
  for (const type of ACTIVITY_TYPES) {
    opened.addEventListener(type, (event) => {
      const activity = JSON.parse(event.data as string) as Activity;
      for (const { types, hear } of followers) if (types.includes(type)) hear(activity);
    });
  }
}

function reconnect(): void {
  disconnect();
  if (followers.size === 0 || document.hidden) return;
  connect();
  readAgain();
}

/** Follows the server while any part of the page does. */
function begin(): void {
  if (!document.hidden) connect();
  rereading = setInterval(readAgain, REREAD_MS);
  document.addEventListener('visibilitychange', reconnect);
}

function end(): void {
  disconnect();
  clearInterval(rereading);
  document.removeEventListener('visibilitychange', reconnect);
}

function disconnect(): void {
  clearTimeout(retry);
  source?.close();
  source = undefined;
  isLive.value = false;
}

/**
 * Hears the activities of some types of the chosen application while the component is shown; `missed` is called when some may have
 * passed unheard.
 */
export function useActivity(
  types: readonly ActivityType[],
  hear: (activity: Activity) => void,
  missed: () => void,
): void {
  const latest = useRef({ hear, missed });
  latest.current = { hear, missed };
  useEffect(() => {
    const follower: Follower = {
      types,
      hear: (activity) => latest.current.hear(activity),
      missed: () => latest.current.missed(),
    };
    followers.add(follower);
    if (followers.size === 1) begin();
    return () => {
      followers.delete(follower);
      if (followers.size === 0) end();
    };
  }, []);
}

/** Returns a function that runs the work once after a burst of calls. */
export function useSettled(work: () => unknown, afterMs = 250): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    // The first call of a burst counts: a busy receiver must not put it off for ever.
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void latest.current();
    }, afterMs);
  };
}

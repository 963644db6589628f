import type { Fetch } from 'kalends/ports';
import type { Json } from '../simulation/provider-acts.ts';

interface Life {
  readonly resource: string;
  readonly from: number;
  until: number;
}

/** The calendars a provider has watched, and when, by its own answers. */
export interface ChannelLedger {
  /** Passes requests on and notes what the provider answers to those about channels. */
  readonly fetch: Fetch;
  /** The longest time within [from, to) for which nothing watched a resource that names the calendar. */
  longestGapMs(calendarId: string, from: number, to: number): number;
}

export function channelLedger(provider: Fetch, now: () => number): ChannelLedger {
  const lives = new Map<string, Life>();

  function open(id: string, resource: string, until: number): void {
    const known = lives.get(id);
    if (known === undefined) lives.set(id, { resource: decodeURIComponent(resource), from: now(), until });
    else known.until = until;
  }

  function close(id: string): void {
    const life = lives.get(id);
    if (life !== undefined) life.until = Math.min(life.until, now());
  }

  async function note(request: Request, sent: string, response: Response): Promise<void> {
    const { pathname } = new URL(request.url);
    const body = (): Promise<Json> => response.clone().json();
    if (pathname.endsWith('/watch')) open(JSON.parse(sent).id, pathname, Number((await body()).expiration));
    else if (pathname.endsWith('/channels/stop')) close(JSON.parse(sent).id);
    else if (/\/subscriptions\b/.test(pathname)) {
      if (request.method === 'DELETE') return close(pathname.split('/').pop()!);
      const { id, resource, expirationDateTime } = await body();
      open(id, resource, Date.parse(expirationDateTime));
    }
  }

  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      const isAboutChannels = /watch$|channels\/stop$|subscriptions/.test(new URL(request.url).pathname);
      const sent = isAboutChannels && request.method !== 'DELETE' ? await request.clone().text() : '';
      const response = await provider(request);
      if (isAboutChannels && response.ok) await note(request, sent, response);
      return response;
    },
    longestGapMs(calendarId, from, to) {
      const own = [...lives.values()].filter(({ resource }) => resource.includes(calendarId));
      own.sort((a, b) => a.from - b.from);
      let coveredTo = from;
      let longest = 0;
      for (const life of own) {
        longest = Math.max(longest, Math.min(life.from, to) - coveredTo);
        coveredTo = Math.max(coveredTo, life.until);
      }
      return Math.max(longest, to - coveredTo);
    },
  };
}

import { isAddressRefused, REFUSED_ADDRESS } from 'kalends/guarded-fetch';
import { type Fetch, ProviderError } from 'kalends/ports';
import { DeadlineError, withDeadline, withJoinedSignals } from 'kalends/runtime';
import { BodyTooLongError, readBytes, readText } from './read-body.ts';
import type { TransportSettings } from './settings.ts';

/** A complete answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A complete answer whose charset its reader finds out. */
export interface AnswerBytes extends Omit<Answer, 'text'> {
  readonly bytes: Uint8Array;
}

/** Settings of a fetch within bounds. */
export type FetchSettings = Pick<TransportSettings, 'provider' | 'fetch' | 'clock'> & {
  readonly limits: Pick<TransportSettings['limits'], 'timeoutMs' | 'maxAnswerBytes'>;
};

/**
 * Fetches within the bounds of time and size, body included. Redirects are not followed: a token stays where it was sent.
 * @throws ProviderError timeout (without status), unavailable, forbidden for an address that the guard refuses, or malformed for
 * a body that is too long; the signal's reason when the caller gave up
 */
export async function fetchAnswer(
  settings: FetchSettings,
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { body, ...answer } = await fetchWithin(settings, url, init, signal, readText);
  return { ...answer, text: body };
}

/** Fetches as `fetchAnswer` does, and leaves the body as it is. */
export async function fetchBytes(
  settings: FetchSettings,
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<AnswerBytes> {
  const { body, ...answer } = await fetchWithin(settings, url, init, signal, readBytes);
  return { ...answer, bytes: body };
}

async function fetchWithin<Body>(
  { provider, fetch, clock, limits }: FetchSettings,
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
  read: (response: Response, maxBytes: number) => Promise<Body>,
): Promise<{ readonly status: number; readonly headers: Headers; readonly body: Body }> {
  signal?.throwIfAborted();
  try {
    return await withDeadline(clock, limits.timeoutMs, (deadline) =>
      withJoinedSignals([deadline, signal], async (either) => {
        const response = await fetch(url, { ...init, redirect: 'manual', signal: either });
        const body = await read(response, limits.maxAnswerBytes);
        return { status: response.status, headers: response.headers, body };
      }),
    );
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (cause instanceof DeadlineError) {
      throw new ProviderError('timeout', `${provider} did not answer in time`, { cause });
    }
    if (cause instanceof BodyTooLongError) {
      throw new ProviderError('malformed', `${provider} answered with more than ${limits.maxAnswerBytes} bytes`, {
        cause,
      });
    }
    if (isAddressRefused(cause)) {
      throw new ProviderError('forbidden', `${provider} is at an address that ${REFUSED_ADDRESS}`, { cause });
    }
    throw new ProviderError('unavailable', `${provider} could not be reached`, { cause });
  }
}

/** Returns a `fetch` under the same bounds and with the same errors, for libraries that bring requests of their own. */
export function boundedFetch(settings: FetchSettings): Fetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const { status, headers, text } = await fetchAnswer(settings, url, init, init.signal ?? undefined);
    // A status such as 204 must not have a body, not even an empty one.
    return new Response(text === '' ? null : text, { status, headers });
  };
}

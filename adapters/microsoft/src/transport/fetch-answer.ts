import { ProviderError } from 'kalends/ports';
import { readText, withJoinedSignals } from 'kalends/runtime';
import type { MicrosoftSettings } from '../options.ts';

/** A complete answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Fetches within the time limit, body included. Redirects are not followed, so that a token stays where it was sent.
 * @throws ProviderError timeout or unavailable; the signal's own reason when the caller gave up
 */
export async function fetchAnswer(
  settings: Pick<MicrosoftSettings, 'fetch' | 'clock' | 'limits'>,
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  signal?.throwIfAborted();
  const limit = new AbortController();
  const finished = new AbortController();
  settings.clock.sleep(settings.limits.timeoutMs, finished.signal).then(
    () => limit.abort(),
    () => undefined,
  );
  try {
    return await withJoinedSignals([limit.signal, signal], async (both) => {
      const response = await settings.fetch(url, { ...init, redirect: 'manual', signal: both });
      return { status: response.status, headers: response.headers, text: await readText(response) };
    });
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (limit.signal.aborted) throw new ProviderError('timeout', 'Microsoft did not answer in time', { cause });
    throw new ProviderError('unavailable', 'Microsoft could not be reached', { cause });
  } finally {
    finished.abort();
  }
}

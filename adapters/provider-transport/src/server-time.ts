import { type FetchSettings, fetchAnswer } from './fetch-answer.ts';

/**
 * Reads a server's clock from the Date header of its answer, of whatever status: epoch milliseconds, null without the header.
 * @throws ProviderError when it cannot be reached
 */
export async function readServerTime(
  settings: FetchSettings,
  url: string,
  signal: AbortSignal,
): Promise<number | null> {
  const { headers } = await fetchAnswer(settings, url, { method: 'GET' }, signal);
  const at = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(at) ? null : at;
}

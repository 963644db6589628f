import { ProviderError } from 'kalends/ports';

/** Rejects as every write to a feed does. */
export function refuseWrite(): Promise<never> {
  return Promise.reject(new ProviderError('forbidden', 'a feed is read-only'));
}

import { ProviderError } from 'kalends/ports';

/**
 * Runs the work that follows a completed write. A failure here is no refusal of the whole write: it rejects as
 * `unavailable`, and the caller reads the outcome.
 */
export async function afterWrite<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!ProviderError.isInstance(error)) throw error;
    const { retryAfterMs } = error;
    throw new ProviderError('unavailable', `a write to Graph was left half-way: ${error.message}`, {
      cause: error,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
}

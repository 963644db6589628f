import { ProviderError } from 'kalends/ports';

/**
 * Does what follows a write that has been carried out. Whatever fails now must not be taken for a refusal of the whole:
 * it rejects as `unavailable`, which says that the outcome is to be read.
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

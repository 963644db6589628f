import { ProviderError } from '../ports/index.ts';

/** Thrown when a budget of the OAuth client has no call left. The provider has not been asked. */
export class SpentBudgetError extends ProviderError {
  /** The daily budget: the account itself is not throttled. */
  readonly isDaily: boolean;

  constructor(budget: 'call budget' | 'daily call budget', retryAfterMs: number) {
    super('rate-limited', `the ${budget} of the OAuth client (providerBudgets) is used up`, { retryAfterMs });
    this.isDaily = budget === 'daily call budget';
    this.name = 'SpentBudgetError';
  }
}

import type { ConnectedAccount } from '../accounts/index.ts';
import type { ProviderBudget } from '../leases/index.ts';
import { type Clock, type CollectionKey, NO_TELEMETRY, type Telemetry } from '../ports/index.ts';
import { inSpan } from '../runtime/index.ts';
import type { PullOutcome } from './pull-context.ts';
import { outcomeOf } from './tell-pull.ts';

/** Runs a pull in a span and observes its duration. */
export async function observePull(
  deps: { readonly clock: Clock; readonly budget: ProviderBudget; readonly telemetry?: Telemetry },
  { row }: Pick<ConnectedAccount, 'row'>,
  { applicationId, accountId, calendarId }: CollectionKey,
  pull: () => Promise<PullOutcome>,
): Promise<PullOutcome> {
  const { clock, budget, telemetry = NO_TELEMETRY } = deps;
  const provider = row.providerType;
  const collection = calendarId === null ? 'calendars' : 'events';
  const attributes = {
    'kalends.provider': provider,
    'kalends.collection': collection,
    'kalends.application_id': applicationId,
    'kalends.account_id': accountId,
  };
  const startedAt = clock.now();
  const observe = (outcome: string) => {
    const seconds = (clock.now() - startedAt) / 1_000;
    telemetry.observe('kalends_pull_duration_seconds', { provider, collection, outcome }, seconds);
    telemetry.observe('kalends_provider_backoff_factor', { provider }, budget.backoffFactor(accountId));
  };
  try {
    const pulled = await inSpan('kalends.pull', { attributes }, async (span) => {
      const result = await pull();
      span.setAttribute('kalends.changed', result.changed);
      return result;
    });
    observe('ok');
    return pulled;
  } catch (error) {
    observe(outcomeOf(error));
    throw error;
  }
}

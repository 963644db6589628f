export type { CallNeed } from './day-budget.ts';
export { createHeldLeases, type HeldLeases } from './held-leases.ts';
export { createLeaseKeeper, LEASE_MS, type LeaseKeeper } from './lease-keeper.ts';
export { createLeaseLock } from './lease-lock.ts';
export {
  accountLeaseName,
  coolDownAfter,
  createProviderBudget,
  isBudgetSpent,
  isDaySpent,
  LONGEST_COOL_DOWN_MS,
  type ProviderBudget,
} from './provider-budget.ts';

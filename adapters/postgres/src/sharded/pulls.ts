import type { PullStore } from 'kalends/ports';
import type { ShardedContext } from './context.ts';
import { ofKey, routedStore } from './routed-store.ts';

/** Begins and ends pulls where their accounts are. */
export function shardedPulls(context: ShardedContext): PullStore {
  return routedStore(context, 'pulls', { begin: 'write', read: 'read', end: 'write' }, ofKey);
}

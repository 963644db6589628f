import type { Storage } from 'kalends/ports';
import type { Router } from './router.ts';
import type { ShardSet } from './shard-set.ts';

type StoreName = {
  [Name in keyof Storage]-?: Storage[Name] extends object
    ? Storage[Name] extends () => unknown
      ? never
      : Name
    : never;
}[keyof Storage];

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/** How `Router` runs a method. */
export type Way = 'read' | 'write' | 'change';

/** Finds the account that a call concerns; null for what is in the home database. */
export type AccountOf = (args: readonly unknown[]) => string | null | Promise<string | null>;

/** The account of a key, which is the first argument. */
export const ofKey: AccountOf = ([key]) => (key as { readonly accountId: string }).accountId;
/** The account whose id is the second argument, behind the application's. */
export const ofSecond: AccountOf = ([, accountId]) => accountId as string;

/** Builds methods of a store that run where the account of the call is. */
export function routedStore<Name extends StoreName, Method extends keyof Storage[Name] & string>(
  { router, shards }: { readonly router: Router; readonly shards: ShardSet },
  name: Name,
  ways: Readonly<Record<Method, Way>>,
  accountOf: AccountOf,
): Pick<Storage[Name], Method> {
  const methods = Object.entries(ways).map(([method, way]) => {
    const call = (storage: Storage, args: readonly unknown[]) =>
      (storage[name] as unknown as Methods)[method]?.(...args) ??
      Promise.reject(new Error(`There is no ${name}.${method}`));
    const routed = async (...args: readonly unknown[]) => {
      const accountId = await accountOf(args);
      if (accountId === null) return await shards.home.use((storage) => call(storage, args));
      return await router[way as Way](accountId, (storage) => call(storage, args));
    };
    return [method, routed] as const;
  });
  return Object.fromEntries(methods) as Pick<Storage[Name], Method>;
}

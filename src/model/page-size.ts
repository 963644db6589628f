import { invalid } from '../errors.ts';

/**
 * Returns the page size of a parsed list query: `limit` and `pageSize` are one parameter under two names.
 * @throws KalendsError InvalidRequest when both are given and differ
 */
export function pageSizeOf(
  query: { readonly limit?: number | undefined; readonly pageSize?: number | undefined },
  sizes: { readonly default: number },
): number {
  const { limit, pageSize } = query;
  if (limit !== undefined && pageSize !== undefined && limit !== pageSize) {
    throw invalid('pageSize', 'must equal limit when both are given');
  }
  return limit ?? pageSize ?? sizes.default;
}

import { ProviderError, type ProviderSession } from 'kalends/ports';
import type { z } from 'zod';
import type { GraphClient, GraphRequest } from '../transport/graph-client.ts';

/** A smaller page than this is not what makes a server slow. */
const SMALLEST_PAGE = 25;

/** Part of a list; the link leads to the next part. */
interface Page<Item> {
  readonly value: readonly Item[];
  readonly '@odata.nextLink'?: string | null | undefined;
}

/**
 * Yields the pages of a list. A page that times out is requested again with half the size: Exchange builds large pages of long
 * events slowly.
 */
export async function* listPages<Item>(
  graph: GraphClient,
  session: ProviderSession,
  request: GraphRequest,
  schema: z.ZodType<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  let size = Number(request.query?.['$top'] ?? SMALLEST_PAGE);
  for (let next: GraphRequest | undefined = request; next !== undefined; ) {
    let page: Page<Item>;
    try {
      page = await graph.call(session, next, schema);
    } catch (error) {
      const isSlow = ProviderError.isInstance(error) && error.reason === 'timeout';
      if (!isSlow || size <= SMALLEST_PAGE) throw error;
      size = Math.max(SMALLEST_PAGE, Math.floor(size / 2));
      next = withPageSize(next, size);
      continue;
    }
    yield page.value;
    const link: string | null | undefined = page['@odata.nextLink'];
    next = link ? { method: 'GET', path: graph.pathOfLink(link), prefer: request.prefer ?? [] } : undefined;
  }
}

/** Changes the size in a query or a stored link; a link without one keeps its own. */
function withPageSize(request: GraphRequest, size: number): GraphRequest {
  if (request.query !== undefined) return { ...request, query: { ...request.query, $top: String(size) } };
  return { ...request, path: request.path.replace(/([?&](?:\$|%24)top=)\d+/i, `$1${size}`) };
}

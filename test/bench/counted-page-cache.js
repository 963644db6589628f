// Preloaded into a process: counts how often the page cache of its engines was asked, and how often it had the page.
import { register } from 'node:module';

const HOOKS = `
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith('/events/list/page-cache.js')) return loaded;
  const counting = \`
export function createPageCache(maxBytes) {
  const cache = createPages(maxBytes);
  const counts = (globalThis.pageCacheCounts = { asked: 0, found: 0 });
  return {
    ...cache,
    find(key) {
      const page = cache.find(key);
      counts.asked += 1;
      if (page !== undefined) counts.found += 1;
      return page;
    },
  };
}\`;
  return { ...loaded, source: String(loaded.source).replace('export function createPageCache', 'function createPages') + counting };
}
`;
register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);

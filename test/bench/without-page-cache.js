// Preloaded into a process: its engines keep no pages, since the module of the page cache is another one.
import { register } from 'node:module';

const EMPTY = `
export const createPageCache = () => ({ find: () => undefined, offer() {}, size: 0 });
`;
const HOOKS = `
export async function load(url, context, next) {
  if (!url.endsWith('/events/list/page-cache.js')) return next(url, context);
  return { format: 'module', shortCircuit: true, source: ${JSON.stringify(EMPTY)} };
}
`;
register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);

import { getPathNoStrict } from 'hono/utils/url';

/**
 * Creates the function that tells which path of the interface a request asks for: without a trailing slash, and without
 * `basePath` where it begins with that. Escapes that matter to routing (`%2F`) stay as they are.
 */
export function createRoutedPath(basePath: string): (request: Pick<Request, 'url'>) => string {
  const base = basePath.endsWith('/') ? basePath.slice(0, -1) : basePath;
  return (request) => {
    const path = getPathNoStrict(request as Request);
    return base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
  };
}

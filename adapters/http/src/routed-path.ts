import { getPathNoStrict } from 'hono/utils/url';

/**
 * Creates the function that returns the path of the interface that a request asks for.
 * It drops a trailing slash, and a leading `basePath`. Escapes that matter to routing (`%2F`) stay as they are.
 */
export function createRoutedPath(basePath: string): (request: Pick<Request, 'url'>) => string {
  const base = basePath.endsWith('/') ? basePath.slice(0, -1) : basePath;
  return (request) => {
    const path = getPathNoStrict(request as Request);
    return base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
  };
}

import { getPathNoStrict } from 'hono/utils/url';
import { KalendsError } from 'kalends';

/**
 * Creates the function that returns the path of the interface that a request asks for.
 * It drops a trailing slash, and a leading `basePath` before `root`: behind a proxy that strips a prefix of the same name as the
 * root (`/v1`), the path begins with the root itself. Escapes that matter to routing (`%2F`) stay as they are.
 *
 * @throws KalendsError InvalidRequest for a `basePath` that is neither empty nor begins with a slash
 */
export function createRoutedPath(basePath: string, root: string): (request: Pick<Request, 'url'>) => string {
  if (basePath !== '' && !basePath.startsWith('/')) {
    throw new KalendsError('InvalidRequest', `basePath is "${basePath}"; it must begin with a slash`);
  }
  // Read as the path of a request is read: `/größe` and its escaped form are one prefix.
  const base = pathOf(new URL(`http://host${basePath}`).href);
  return ({ url }) => {
    const path = pathOf(url);
    const rest = base !== '/' && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
    return rest === root || rest.startsWith(`${root}/`) ? rest : path;
  };
}

const pathOf = (url: string) => getPathNoStrict({ url } as Request);

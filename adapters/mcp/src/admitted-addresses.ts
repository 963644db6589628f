/** Host names under which the server may be addressed, without ports. */
export interface AdmittedAddresses {
  /** Returns why a request may not be answered, undefined for one that may. */
  refusal(request: Request): string | undefined;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Checks `Host` and `Origin`, so that a page in a person's browser cannot reach the server under a name of its own (DNS rebinding).
 * Admits the loopback names and `hosts`. A request without an `Origin` comes from no browser.
 */
export function createAdmittedAddresses(hosts: readonly string[]): AdmittedAddresses {
  const admitted = new Set([...LOOPBACK, ...hosts.map((host) => host.toLowerCase())]);
  return {
    refusal({ url, headers }) {
      const host = headers.get('host');
      const hostname = host === null ? new URL(url).hostname : hostnameOf(`http://${host}`);
      if (hostname === undefined || !admitted.has(hostname)) {
        return 'The Host of the request is not one of this server: add it to its hosts.';
      }
      const origin = headers.get('origin');
      if (origin === null) return undefined;
      const from = hostnameOf(origin);
      if (from !== undefined && admitted.has(from)) return undefined;
      return 'The Origin of the request may not call this server: add its host name to the hosts.';
    },
  };
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) && /^https?:\/\/[^/@?#\\]+$/.test(url) ? new URL(url).hostname : undefined;
}

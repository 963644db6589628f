import { isIP } from 'node:net';

/** Names of the second level under which registries of countries register, beside every one of up to three letters. */
const REGISTRIES = new Set(['asso', 'gouv', 'govt', 'info', 'school']);

/**
 * Returns whether credentials for one address may be sent to another: the same host, or hosts under one registered domain, as
 * `caldav.icloud.com` and `p42-caldav.icloud.com`; never from https to http.
 */
export function isSameSite(from: URL, to: URL): boolean {
  if (to.protocol !== from.protocol && to.protocol !== 'https:') return false;
  if (to.protocol !== 'https:' && to.protocol !== 'http:') return false;
  const [one, other] = [from.hostname.toLowerCase(), to.hostname.toLowerCase()];
  if (one === other) return true;
  if (isAddress(one) || isAddress(other)) return false;
  const domain = registeredDomain(one);
  return domain !== undefined && domain === registeredDomain(other);
}

const isAddress = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0;

/**
 * Returns the part of a name that its owner registered. Without a list of public suffixes: two labels, or three under a
 * registry of a country such as `co.uk`, which errs on the side of too many labels.
 */
function registeredDomain(host: string): string | undefined {
  const labels = host.split('.').filter((label) => label !== '');
  const [second = '', top = ''] = labels.slice(-2);
  const isUnderRegistry = top.length === 2 && (second.length <= 3 || REGISTRIES.has(second));
  const count = isUnderRegistry ? 3 : 2;
  return labels.length < count ? undefined : labels.slice(-count).join('.');
}

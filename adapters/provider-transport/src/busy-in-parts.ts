import type { PersonBusy, PersonBusySpan, ProviderFreeBusy } from 'kalends/ports';
import { inParallel } from 'kalends/runtime';

export type BusyRequest = Parameters<ProviderFreeBusy['query']>[1];

/** Limits of one call of a provider. */
export interface BusyCallLimits {
  readonly mostAddresses: number;
  readonly longestMs: number;
}

/**
 * Asks for the busy time of any number of people and any window, by as many calls as it takes, three at a time. `ask` is one call and
 * answers in the order of its addresses. A person who cannot be read in one part of the window is not known at all.
 */
export async function busyInParts(
  { addresses, window }: BusyRequest,
  { mostAddresses, longestMs }: BusyCallLimits,
  ask: (part: BusyRequest) => Promise<readonly PersonBusy[]>,
): Promise<readonly PersonBusy[]> {
  const distinct = [...new Set(addresses)];
  const found = new Map<string, PersonBusy>();
  const parts: BusyRequest[] = [];
  for (let first = 0; first < distinct.length; first += mostAddresses)
    for (let startMs = window.startMs; startMs < window.endMs; startMs += longestMs)
      parts.push({
        addresses: distinct.slice(first, first + mostAddresses),
        window: { startMs, endMs: Math.min(window.endMs, startMs + longestMs) },
      });
  await inParallel(parts, async (part) => {
    for (const [index, person] of (await ask(part)).entries()) {
      const address = part.addresses[index];
      if (address !== undefined) found.set(address, joined(found.get(address), person));
    }
  });
  return addresses.map((address) => found.get(address) ?? { spans: [] });
}

/** Joins what two calls say of one person. */
export function joined(one: PersonBusy | undefined, other: PersonBusy): PersonBusy {
  if (one === undefined || 'error' in other) return other;
  if ('error' in one) return one;
  const spans: readonly PersonBusySpan[] = [...one.spans, ...other.spans];
  return { spans };
}

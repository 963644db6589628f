import { KalendsError } from '../../errors.ts';
import type { ProviderEvent, UncopyableField } from '../../ports/index.ts';
import { isStub } from './carried-exceptions.ts';

/**
 * Checks that a write can repeat events as they are; nothing is left of a cancelled one to repeat. Occurrences of `series` that are
 * written anew have from it what they have in common.
 * @throws KalendsError UnsupportedByProvider, naming the first field that it would falsify
 */
export function requireCopyable(events: readonly ProviderEvent[], series?: ProviderEvent): void {
  const inherited = series?.uncopyable ?? [];
  const lost = events
    .flatMap((event) => (isStub(event) ? [] : (event.uncopyable ?? [])))
    .find((field) => !inherited.some((other) => isSameState(field, other)));
  if (lost === undefined) return;
  const { field, reason } = lost;
  throw new KalendsError('UnsupportedByProvider', `${field}: ${reason}`, {
    details: [{ path: field, message: reason }],
  });
}

function isSameState(one: UncopyableField, other: UncopyableField): boolean {
  return one.field === other.field && one.state !== undefined && one.state === other.state;
}

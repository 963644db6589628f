import { KalendsError } from '../../errors.ts';
import type { ProviderEvent } from '../../ports/index.ts';
import { isStub } from './carried-exceptions.ts';

/**
 * Checks that a write can repeat events as they are; nothing is left of a cancelled one to repeat.
 * @throws KalendsError UnsupportedByProvider, naming the first field that it would falsify
 */
export function requireCopyable(events: readonly ProviderEvent[]): void {
  const [lost] = events.flatMap((event) => (isStub(event) ? [] : (event.uncopyable ?? [])));
  if (lost === undefined) return;
  const { field, reason } = lost;
  throw new KalendsError('UnsupportedByProvider', `${field}: ${reason}`, {
    details: [{ path: field, message: reason }],
  });
}

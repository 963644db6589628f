import { KalendsError } from '../../errors.ts';
import type { EventChange } from '../../ports/index.ts';

/** The id of what the provider's answer to a create tells of. @throws KalendsError NotFound when it has been deleted since */
export function createdId(changes: readonly EventChange[]): string {
  for (const change of changes) {
    if (change.kind === 'series') return change.master.providerEventId;
    if (change.kind === 'event' && change.event.seriesId === null) return change.event.providerEventId;
  }
  const [unreadable] = changes.filter(({ kind }) => kind === 'unreadable');
  if (unreadable?.kind === 'unreadable') return unreadable.providerEventId;
  if (changes.some(({ kind }) => kind === 'deleted')) {
    throw new KalendsError('NotFound', 'The event was created, and has been deleted since.');
  }
  throw new KalendsError('ProviderError', 'The provider did not say what it created.');
}

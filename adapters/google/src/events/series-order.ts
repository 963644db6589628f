import type { EventChange } from 'kalends/ports';
import { isGone, seriesOf } from './event-reading.ts';
import type { ListedEvent } from './event-wire.ts';

/** A page of a list in the order in which it is mirrored, and the instances of earlier pages to read again after it. */
export interface OrderedPage {
  readonly items: readonly ListedEvent[];
  readonly rereads: readonly EventChange[];
}

/**
 * Creates the function that orders the pages of one list. The tombstone of a series removes all its instances that were mirrored before,
 * and Google promises no order. An instance may outlive its series: a guest was taken off the series and invited to one occurrence.
 */
export function createSeriesOrder(): (page: readonly ListedEvent[]) => OrderedPage {
  /** Instances of the earlier pages that were not cancelled, by series. */
  const living = new Map<string, string[]>();
  return (page) => {
    const ended = new Set(page.flatMap((item) => (!('kind' in item) && isGone(item) ? [item.id] : [])));
    const livesOn = (item: ListedEvent) => ended.has(livingSeriesOf(item) ?? '');
    const rereads = [...ended]
      .flatMap((seriesId) => living.get(seriesId) ?? [])
      .map((providerEventId) => ({ kind: 'reread', providerEventId }) as const);
    for (const item of page) {
      const seriesId = livingSeriesOf(item);
      if (seriesId === null || 'kind' in item) continue;
      const known = living.get(seriesId);
      if (known === undefined) living.set(seriesId, [item.id]);
      else known.push(item.id);
    }
    return { items: [...page.filter((item) => !livesOn(item)), ...page.filter(livesOn)], rereads };
  };
}

/** Returns the series of an instance that is not cancelled, null for any other object. */
function livingSeriesOf(item: ListedEvent): string | null {
  return 'kind' in item || item.status === 'cancelled' ? null : seriesOf(item);
}

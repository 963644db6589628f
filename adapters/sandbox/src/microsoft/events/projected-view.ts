import type { Preferences } from '../api/graph-request.ts';
import { type Expansion, type Projection, project } from '../api/odata.ts';
import { itemId } from '../identity.ts';
import { exceptionsOf } from '../series/series.ts';
import type { EventFields, StoredEvent } from '../state.ts';
import { formatSecond } from '../times.ts';
import { type EventView, eventView, fallsInto, fieldsOf, type Item, type Viewer } from './event-view.ts';

/** Returns the extended properties of an expansion's filter; without a filter Graph returns none. */
function expandedProperties(fields: EventFields, expansion: Expansion): { id: string; value: string }[] {
  const { filter } = expansion;
  return filter ? Object.values(fields.extendedProperties).filter((property) => filter(property)) : [];
}

const MOST_BYTES = 255;

/** Cuts a value as a table of Exchange does. */
function withCutValue<T extends { readonly value: string }>(property: T): T {
  const bytes = Buffer.from(property.value).subarray(0, MOST_BYTES);
  return { ...property, value: bytes.toString().replace(/\uFFFD$/, '') };
}

/** Adds the properties of `$expand`. Exceptions are expanded only on a GET by id. */
function withExpansions(viewer: Viewer, item: Item, view: EventView, projection: Projection, byId: boolean): EventView {
  const { expand } = projection;
  const properties = expand.get('singleValueExtendedProperties');
  const exceptions = showsExceptions(item, projection, byId) ? expand.get('exceptionOccurrences') : undefined;
  const whole = properties ? expandedProperties(fieldsOf(item), properties) : [];
  const found = byId || !viewer.world.state.settings.cutsProperties ? whole : whole.map(withCutValue);
  return {
    ...view,
    ...(found.length > 0 ? { singleValueExtendedProperties: found } : {}),
    ...(expand.has('extensions') ? { extensions: [] } : {}),
    ...(exceptions ? exceptionsView(viewer, item.event, exceptions) : {}),
  };
}

/** Exceptions are expanded on a GET by id, and not beside a `$select` that lacks them (microsoft-graph-docs#9887). */
function showsExceptions(item: Item, { select }: Projection, byId: boolean): boolean {
  return byId && item.event.series !== null && !item.occurrence && (select?.has('exceptionOccurrences') ?? true);
}

/** Renders the exceptions of a series, or their first page with a link to the next. */
function exceptionsView(viewer: Viewer, event: StoredEvent, expansion: Expansion): object {
  const all = exceptionItems(event);
  const size = viewer.world.state.settings.expandedPageSize ?? all.length;
  const query = new URLSearchParams({ $skip: String(size), $top: String(size), ...expansion.query });
  return {
    exceptionOccurrences: all.slice(0, size).map((item) => expandedException(viewer, item, expansion)),
    ...(all.length > size
      ? { 'exceptionOccurrences@odata.nextLink': `${viewer.url}/exceptionOccurrences?${query}` }
      : {}),
  };
}

function expandedException(viewer: Viewer, item: Item, expansion: Expansion): object {
  const { originalStart, ...view } = projectedView(viewer, item, expansion, false);
  const isMissing = fallsInto(item, viewer.world.state.settings.missingOriginalStarts, 'originalStart');
  return originalStart === undefined || isMissing ? view : { ...view, originalStart };
}

/** Returns the exceptions of a series as items. */
export const exceptionItems = (event: StoredEvent): Item[] =>
  exceptionsOf(event).map((occurrence) => ({ event, occurrence }));

/** Returns `OID.{masterId}.{date}` of each deleted slot. */
function cancelledOccurrences(event: StoredEvent, prefer: Preferences): string[] {
  const masterId = itemId({ key: event.key, slot: null }, prefer.immutableIds);
  return Object.keys(event.series?.cancelled ?? {})
    .sort()
    .map((date) => `OID.${masterId}.${date}`);
}

/** Renders an event with the properties of `$select` and `$expand`. */
export function projectedView(
  viewer: Viewer,
  item: Item,
  projection: Pick<Projection, 'select' | 'expand'>,
  byId: boolean,
): EventView {
  const full = withExpansions(viewer, item, eventView(viewer, item), projection, byId);
  const withCancelled =
    byId && projection.select?.has('cancelledOccurrences') && !item.occurrence && item.event.series
      ? { ...full, cancelledOccurrences: cancelledOccurrences(item.event, viewer.prefer) }
      : full;
  return project(withOriginalStart(withCancelled, item, projection), projection.select, projection.expand.keys());
}

/** Adds `originalStart`, which comes only when it is selected (microsoft-graph-docs#4353, #5524). */
function withOriginalStart(view: EventView, { occurrence }: Item, { select }: Pick<Projection, 'select'>): EventView {
  if (!occurrence || !select?.has('originalStart')) return view;
  return { ...view, originalStart: formatSecond(occurrence.originalStartAt) };
}

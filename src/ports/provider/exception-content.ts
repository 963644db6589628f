import type { EventContent, EventOverrides, ProviderEvent } from './provider-event.ts';

/**
 * Returns the content of an exception as shown: fields and keys written to the exception are its own, the rest of the
 * provider's copied fields follows the series. Idempotent.
 */
export function exceptionContent(
  content: EventContent,
  overrides: EventOverrides | undefined,
  series: EventContent,
): EventContent {
  if (overrides === undefined) return content;
  const { customColor: _, ...own } = content;
  const { customColor } = overrides.customColor ? content : series;
  const { publicExtendedProperties, privateExtendedProperties } = overrides;
  return {
    ...own,
    publicExtendedProperties: laidOver(
      series.publicExtendedProperties,
      content.publicExtendedProperties,
      publicExtendedProperties,
    ),
    privateExtendedProperties: laidOver(
      series.privateExtendedProperties,
      content.privateExtendedProperties,
      privateExtendedProperties,
    ),
    ...(customColor === undefined ? {} : { customColor }),
  };
}

/** Returns the shown content of any event; null for a stub. */
export function shownContent(event: ProviderEvent, series: EventContent): EventContent | null {
  return event.content === null ? null : exceptionContent(event.content, event.overrides, series);
}

type Properties = Readonly<Record<string, string>>;

function laidOver(series: Properties, copy: Properties, keys: readonly string[]): Record<string, string> {
  const own = new Set(keys);
  const inherited = Object.entries(series).filter(([key]) => !own.has(key));
  const written = Object.entries(copy).filter(([key]) => own.has(key));
  return Object.fromEntries([...inherited, ...written]);
}

import { useLocation } from 'preact-iso';

/** The filters of a page, which stand in its address, so that a link shows the same. */
export interface Filters {
  /** Returns the value of a filter; empty where it is not set. */
  get(name: string): string;
  /** Sets filters, in place of the present address; an empty value removes one. */
  set(values: Readonly<Record<string, string>>): void;
  /** The query as it stands behind an address: `?status=expired`, or nothing. */
  readonly text: string;
}

export function useFilters(): Filters {
  const { url, path, route } = useLocation();
  const at = url.indexOf('?');
  const text = at < 0 ? '' : url.slice(at);
  return {
    get: (name) => new URLSearchParams(text).get(name) ?? '',
    set(values) {
      const changed = new URLSearchParams(text);
      for (const [name, value] of Object.entries(values)) {
        if (value === '') changed.delete(name);
        else changed.set(name, value);
      }
      route(changed.size === 0 ? path : `${path}?${changed}`, true);
    },
    text,
  };
}

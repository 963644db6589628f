/**
 * Returns an element, or the one that has been drawn in its place since: both have the same `data-key`. Undefined if it is gone.
 */
export function redrawn(element: Element | null): HTMLElement | undefined {
  if (!(element instanceof HTMLElement)) return undefined;
  if (element.isConnected) return element;
  const { key } = element.dataset;
  return key === undefined
    ? undefined
    : (document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? undefined);
}

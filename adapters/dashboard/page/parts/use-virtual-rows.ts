import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useState } from 'preact/hooks';

const OVERSCAN = 12;

/** The rows of a long list that are in sight. */
export interface VirtualRows {
  readonly rows: readonly VirtualItem[];
  /** Heights above the first and below the last of them. */
  readonly before: number;
  readonly after: number;
}

/** Chooses the rows to render of a list in an element that scrolls; all rows have one height. */
export function useVirtualRows(scroller: RefObject<HTMLElement | null>, count: number, rowHeight: number): VirtualRows {
  const [, render] = useReducer((renders: number) => renders + 1, 0);
  const options = {
    count,
    overscan: OVERSCAN,
    estimateSize: () => rowHeight,
    getScrollElement: () => scroller.current,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => render(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [rowHeight]);
  const rows = virtualizer.getVirtualItems();
  return {
    rows,
    before: rows[0]?.start ?? 0,
    after: virtualizer.getTotalSize() - (rows.at(-1)?.end ?? 0),
  };
}

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ProblemError } from './problem.ts';
import { type Call, pathOf, request } from './request.ts';

export interface PageOf<Item> {
  readonly data: readonly Item[];
  readonly nextPageToken: string | null;
}

/** A list whose pages are read as they are wanted. */
export interface Pages<Item> {
  readonly items: readonly Item[];
  /** False before the first page is there. */
  readonly isKnown: boolean;
  readonly hasMore: boolean;
  readonly error: ProblemError | undefined;
  /** Reads the next page, unless one is being read. */
  loadMore(): Promise<void>;
  /** Begins anew; the items stay until the first page is there. */
  reload(): Promise<void>;
}

interface State<Item> {
  readonly key: string;
  readonly items: readonly Item[];
  /** Null behind the last page. */
  readonly next: string | null;
}

/** Reads the first page of a call when it changes. */
export function usePages<Item>(call: Call): Pages<Item> {
  const key = pathOf(call);
  const [state, setState] = useState<State<Item>>();
  const [error, setError] = useState<ProblemError>();
  const reading = useRef<AbortController>(undefined);

  const read = useCallback(
    async (before: State<Item> | undefined) => {
      reading.current?.abort();
      const mine = new AbortController();
      reading.current = mine;
      setError(undefined);
      try {
        const pageToken = before?.next ?? undefined;
        const page = await request<PageOf<Item>>({ ...call, query: { ...call.query, pageToken } }, mine.signal);
        if (mine.signal.aborted) return;
        setState({ key, items: [...(before?.items ?? []), ...page.data], next: page.nextPageToken });
      } catch (refusal) {
        if (mine.signal.aborted) return;
        if (!(refusal instanceof ProblemError)) throw refusal;
        setError(refusal);
      } finally {
        if (reading.current === mine) reading.current = undefined;
      }
    },
    [key],
  );

  useEffect(() => {
    void read(undefined);
    return () => reading.current?.abort();
  }, [read]);

  const isKnown = state?.key === key;
  return {
    items: isKnown ? state.items : [],
    isKnown,
    hasMore: isKnown && state.next !== null,
    error,
    async loadMore() {
      if (isKnown && state.next !== null && reading.current === undefined) await read(state);
    },
    reload: () => read(undefined),
  };
}

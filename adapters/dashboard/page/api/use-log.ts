import { useEffect, useState } from 'preact/hooks';
import type { ProblemError } from './problem.ts';
import { type Call, pathOf, request } from './request.ts';
import { type Action, useAction } from './use-action.ts';
import { useResource } from './use-resource.ts';

interface Page<Item> {
  readonly data: readonly Item[];
  readonly nextPageToken: string | null;
}

/** A log, newest first, which grows at both ends while it is shown. */
export interface Log<Item> {
  /** Undefined until the first page is there. */
  readonly items: readonly Item[] | undefined;
  readonly hasMore: boolean;
  readonly error: ProblemError | undefined;
  /** Reads the newest page again. */
  reload(): Promise<void>;
  /** Reads the page behind the last item. */
  readonly more: Action<[], void>;
}

/** Reads a log from its newest page on. */
export function useLog<Item extends { readonly id: string }>(call: Call): Log<Item> {
  const key = pathOf(call);
  const newest = useResource<Page<Item>>(call);
  const [kept, setKept] = useState<Page<Item> & { readonly key: string }>();
  const before = kept?.key === key ? kept : undefined;
  const shown = newest.data === undefined ? undefined : joined(newest.data, before);
  useEffect(() => {
    if (shown !== undefined) setKept({ ...shown, key });
  }, [newest.data]);
  const more = useAction(async () => {
    const query = { ...call.query, pageToken: shown?.nextPageToken ?? '' };
    const older = await request<Page<Item>>({ ...call, query });
    setKept({ data: [...(shown?.data ?? []), ...older.data], nextPageToken: older.nextPageToken, key });
  });
  const { error, reload } = newest;
  return { items: shown?.data, hasMore: Boolean(shown?.nextPageToken), error, reload, more };
}

/** Puts the newest page before what was read earlier. Where they do not meet, there is a gap, and the list begins anew. */
function joined<Item extends { readonly id: string }>(newest: Page<Item>, before: Page<Item> | undefined): Page<Item> {
  const known = new Set(newest.data.map(({ id }) => id));
  if (before === undefined || newest.nextPageToken === null) return newest;
  if (!before.data.some(({ id }) => known.has(id))) return newest;
  const { data, nextPageToken } = before;
  return { data: [...newest.data, ...data.filter(({ id }) => !known.has(id))], nextPageToken };
}

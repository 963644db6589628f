import type { AvailabilityQuery, AvailabilityResult, AvailableRange, AvailableSlot } from 'kalends/model';
import { useState } from 'preact/hooks';
import type { ProblemError } from '../../api/problem.ts';
import { type Call, request } from '../../api/request.ts';
import { type Action, useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';

/** The answer to a question, page by page. */
export interface AvailabilityAnswer {
  /** False until the first page is there. */
  readonly isKnown: boolean;
  readonly isLoading: boolean;
  readonly slots: readonly AvailableSlot[];
  readonly ranges: readonly AvailableRange[];
  /** Number of slots on all pages. */
  readonly total: number | undefined;
  /** Names of the hosts, the one who is due first. */
  readonly line: readonly string[];
  readonly hasMore: boolean;
  readonly error: ProblemError | undefined;
  readonly more: Action<[], void>;
  reload(): Promise<void>;
}

/** Asks a question when it changes; undefined asks nothing. */
export function useAnswer(body: AvailabilityQuery | undefined): AvailabilityAnswer {
  const call: Call | undefined = body && { method: 'POST', path: '/v1/availability', body };
  const first = useResource<AvailabilityResult>(call);
  const [later, setLater] = useState<{ readonly of: AvailabilityResult; readonly pages: AvailabilityResult[] }>();
  const pages = first.data === undefined ? [] : [first.data, ...(later?.of === first.data ? later.pages : [])];
  const pageToken = pages.at(-1)?.nextPageToken;
  const more = useAction(async () => {
    const [of, ...read] = pages;
    if (of === undefined) return;
    const page = await request<AvailabilityResult>({
      method: 'POST',
      path: '/v1/availability',
      body: { ...body, pageToken },
    });
    setLater({ of, pages: [...read, page] });
  });
  return {
    isKnown: first.data !== undefined,
    isLoading: first.isLoading,
    slots: pages.flatMap(({ slots = [] }) => slots),
    ranges: pages.flatMap(({ ranges = [] }) => ranges),
    total: first.data?.total,
    line: first.data?.line ?? [],
    hasMore: Boolean(pageToken),
    error: first.error,
    more,
    reload: first.reload,
  };
}

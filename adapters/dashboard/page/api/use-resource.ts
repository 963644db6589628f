import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ProblemError } from './problem.ts';
import { type Call, pathOf, request } from './request.ts';

/** State of an answer that a page shows. Its last data stays while it is read again. */
export interface Resource<Result> {
  readonly data: Result | undefined;
  readonly error: ProblemError | undefined;
  readonly isLoading: boolean;
  /** Reads again. */
  reload(): Promise<void>;
}

/** Reads a call when it changes; undefined reads nothing. */
export function useResource<Result>(call: Call | undefined): Resource<Result> {
  const key = call === undefined ? undefined : `${pathOf(call)} ${JSON.stringify(call.body)}`;
  const [state, setState] = useState<{ key?: string | undefined; data?: Result; error?: ProblemError }>({});
  const [isLoading, setLoading] = useState(call !== undefined);
  const latest = useRef<AbortController>(undefined);

  const reload = useCallback(async () => {
    latest.current?.abort();
    if (call === undefined) return;
    const reading = new AbortController();
    latest.current = reading;
    setLoading(true);
    try {
      const data = await request<Result>(call, reading.signal);
      if (!reading.signal.aborted) setState({ key, data });
    } catch (error) {
      if (reading.signal.aborted) return;
      if (!(error instanceof ProblemError)) throw error;
      setState((before) => (before.key === key ? { ...before, error } : { key, error }));
    } finally {
      if (latest.current === reading) setLoading(false);
    }
  }, [key]);

  useEffect(() => {
    void reload();
    return () => latest.current?.abort();
  }, [reload]);

  const isCurrent = state.key === key;
  return { data: isCurrent ? state.data : undefined, error: isCurrent ? state.error : undefined, isLoading, reload };
}

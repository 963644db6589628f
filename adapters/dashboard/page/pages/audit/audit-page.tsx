import './audit.css';
import type { AuditEntry } from 'kalends/model';
import { useMemo, useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../parts/button.tsx';
import { ApiSample, EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useListKeys } from '../../parts/use-list-keys.ts';
import { useActivity, useSettled } from '../../state/activity.ts';
import { useFilters } from '../../state/filters.ts';
import { applicationId } from '../../state/session.ts';
import { auditTexts as texts } from '../../texts/en/audit.ts';
import { common } from '../../texts/en/frame.ts';
import { auditCall } from './audit-filters.ts';
import { AuditTable } from './audit-table.tsx';
import { AuditToolbar } from './audit-toolbar.tsx';
import { ExportButtons } from './export-buttons.tsx';

const PAGE = 50;

interface Page {
  readonly data: readonly AuditEntry[];
  readonly nextPageToken: string | null;
}

/** The audit log of the application, or of the whole service. */
export function AuditPage() {
  const filters = useFilters();
  // A period counts from when it was chosen, so that a reload shows the same call.
  const now = useMemo(() => Date.now(), [filters.text]);
  const call = auditCall(filters, applicationId.value, now, PAGE);
  const log = useResource<Page>(call);
  const [older, setOlder] = useState<Page & { readonly of: string }>();
  const list = useListKeys();
  const reload = useSettled(log.reload);
  useActivity(['audit.written'], reload, reload);
  const rest = older?.of === filters.text ? older : undefined;
  const pageToken = rest === undefined ? log.data?.nextPageToken : rest.nextPageToken;
  const more = useAction(async () => {
    const next = await request<Page>({ ...call, query: { ...call.query, pageToken: pageToken ?? '' } });
    setOlder({ ...next, data: [...(rest?.data ?? []), ...next.data], of: filters.text });
  });
  const newest = log.data?.data ?? [];
  const known = new Set(newest.map(({ id }) => id));
  const entries = [...newest, ...(rest?.data ?? []).filter(({ id }) => !known.has(id))];
  return (
    <>
      <PageHead title={texts.title} purpose={texts.purpose}>
        <ExportButtons call={call} />
      </PageHead>
      <ErrorNote error={log.error} onRetry={log.reload} />
      <div ref={list}>
        <AuditToolbar filters={filters} count={texts.count(entries.length, Boolean(pageToken))} />
        <div class="card">
          {log.data === undefined ? null : entries.length > 0 ? (
            <AuditTable entries={entries} filters={filters} />
          ) : filters.text === '' ? (
            <EmptyState icon="audit" title={texts.empty.title} hint={texts.empty.hint} call={call} />
          ) : (
            <p class="none">{texts.noneFound}</p>
          )}
        </div>
      </div>
      <ErrorNote error={more.error} />
      {pageToken ? (
        <div class="row after-list">
          <Button isBusy={more.isRunning} onClick={more.run}>
            {common.loadMore}
          </Button>
        </div>
      ) : null}
      <ApiSample call={call} />
    </>
  );
}

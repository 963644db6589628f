import './audit.css';
import type { AuditEntry } from 'kalends/model';
import { useMemo } from 'preact/hooks';
import { useLog } from '../../api/use-log.ts';
import { Button } from '../../parts/button.tsx';
import { ApiSample, EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useListKeys } from '../../parts/use-list-keys.ts';
import { useActivity, useSettled } from '../../state/activity.ts';
import { useFilters } from '../../state/filters.ts';
import { serverNow } from '../../state/server-time.ts';
import { applicationId } from '../../state/session.ts';
import { auditTexts as texts } from '../../texts/en/audit.ts';
import { common } from '../../texts/en/frame.ts';
import { auditCall } from './audit-filters.ts';
import { AuditTable } from './audit-table.tsx';
import { AuditToolbar } from './audit-toolbar.tsx';
import { ExportButtons } from './export-buttons.tsx';

const PAGE = 50;

/** The audit log of the application, or of the whole service. */
export function AuditPage() {
  const filters = useFilters();
  // A period counts from when it was chosen, so that a reload shows the same call.
  const now = useMemo(serverNow, [filters.text]);
  const call = auditCall(filters, applicationId.value, now, PAGE);
  const { items, hasMore, error, more, ...log } = useLog<AuditEntry>(call);
  const list = useListKeys();
  const reload = useSettled(log.reload);
  useActivity(['audit.written'], reload, reload);
  const entries = items ?? [];
  return (
    <>
      <PageHead title={texts.title} purpose={texts.purpose}>
        <ExportButtons call={call} />
      </PageHead>
      <ErrorNote error={error} onRetry={log.reload} />
      <div ref={list}>
        <AuditToolbar filters={filters} count={texts.count(entries.length, hasMore)} />
        <div class="card">
          {items === undefined ? null : entries.length > 0 ? (
            <AuditTable entries={entries} filters={filters} />
          ) : filters.text === '' ? (
            <EmptyState icon="audit" title={texts.empty.title} hint={texts.empty.hint} call={call} />
          ) : (
            <p class="none">{texts.noneFound}</p>
          )}
        </div>
      </div>
      <ErrorNote error={more.error} />
      {hasMore ? (
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

import './accounts.css';
import type { EndUserAccount } from 'kalends/model';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Call } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { usePages } from '../../api/use-pages.ts';
import { Button } from '../../parts/button.tsx';
import { ApiSample, EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useListKeys } from '../../parts/use-list-keys.ts';
import { useFilters } from '../../state/filters.ts';
import { pageLink } from '../../state/links.ts';
import { applicationId } from '../../state/session.ts';
import { accountsTexts as texts } from '../../texts/en/accounts.ts';
import { AccountList } from './account-list.tsx';
import { AccountPanel } from './account-panel.tsx';
import { AccountToolbar } from './account-toolbar.tsx';
import { ConnectMailbox } from './connect.tsx';
import { ExportButtons } from './export-buttons.tsx';

const PAGE_SIZE = 250;
const CONNECT: Call = {
  method: 'POST',
  path: '/v1/endUserAccounts',
  body: { email: 'ada@example.com', providerType: 'PROVIDER_A', refreshToken: '…', externalId: 'user-42' },
};

/** The connected accounts, and the details of the one in `objectId`. */
export function AccountsPage({ objectId }: { readonly objectId?: string | undefined }) {
  const { route } = useLocation();
  const filters = useFilters();
  const list = useListKeys();
  const search = filters.get('q');
  const status = filters.get('status');
  const provider = filters.get('provider');
  const query = { search, statusFilter: status, providerType: provider, limit: PAGE_SIZE };
  const call = { path: ofApplication('/accounts'), query };
  const accounts = usePages<EndUserAccount>(call);
  const [changes, setChanges] = useState(0);
  const isFiltered = search !== '' || status !== '' || provider !== '';
  const isEmpty = accounts.isKnown && accounts.items.length === 0;
  return (
    <div ref={list}>
      <PageHead title={texts.title} purpose={texts.purpose}>
        {isEmpty ? null : <ExportButtons call={call} />}
        <ConnectMailbox onClose={accounts.reload} />
      </PageHead>
      {isEmpty && !isFiltered ? null : <AccountToolbar filters={filters} />}
      <ErrorNote error={accounts.error} onRetry={accounts.items.length === 0 ? accounts.reload : accounts.loadMore} />
      <div class="card">
        {!accounts.isKnown ? (
          <div class="account-scroller" aria-hidden="true" />
        ) : isEmpty ? (
          <NoAccounts isFiltered={isFiltered} onClear={() => filters.set({ q: '', status: '', provider: '' })} />
        ) : (
          <>
            <AccountList accounts={accounts} query={filters.text} key={`${status} ${search}`} />
            <p class="account-count small muted">
              <span role="status">{texts.count(accounts.items.length, !accounts.hasMore)}</span>
              <span>{texts.order}</span>
              <span class="wide-only">{texts.keys}</span>
            </p>
          </>
        )}
      </div>
      <ApiSample call={call} />
      {objectId === undefined ? null : (
        <AccountPanel
          key={`${objectId} ${changes}`}
          accountId={objectId}
          onChanged={() => {
            setChanges(changes + 1);
            void accounts.reload();
          }}
          onClose={() => route(`${pageLink(applicationId.value ?? '', 'accounts')}${filters.text}`)}
        />
      )}
    </div>
  );
}

function NoAccounts({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  return isFiltered ? (
    <EmptyState icon="search" title={texts.none.title} hint={texts.none.hint}>
      <Button onClick={onClear}>{texts.none.clear}</Button>
    </EmptyState>
  ) : (
    <EmptyState icon="accounts" title={texts.empty.title} hint={texts.empty.hint} call={CONNECT} />
  );
}

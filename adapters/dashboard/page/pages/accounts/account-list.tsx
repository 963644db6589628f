import type { EndUserAccount } from 'kalends/model';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Pages } from '../../api/use-pages.ts';
import { CopyId } from '../../parts/copy.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { Time } from '../../parts/time.tsx';
import { useVirtualRows } from '../../parts/use-virtual-rows.ts';
import { pageLink } from '../../state/links.ts';
import { applicationId } from '../../state/session.ts';
import { accountsTexts as texts } from '../../texts/en/accounts.ts';
import { providerName } from '../../texts/en/providers.ts';

/** Heights of a row, as in accounts.css: on a phone it has two lines. */
const ROW_HEIGHT = 45;
const NARROW_ROW_HEIGHT = 61;
/** The next page is read when so few rows are left below. */
const ROWS_AHEAD = 60;

interface AccountListProps {
  readonly accounts: Pages<EndUserAccount>;
  /** The query of the filters, which links keep. */
  readonly query: string;
}

/** The accounts that were read so far; only rows in sight are rendered, and further pages are read while one scrolls. */
export function AccountList({ accounts, query }: AccountListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow();
  const { items, hasMore } = accounts;
  const { rows, before, after } = useVirtualRows(scroller, items.length, isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT);
  const lastShown = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastShown > items.length - ROWS_AHEAD) void accounts.loadMore();
  }, [lastShown, items.length, hasMore]);
  const { columns } = texts;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="account-scroller" ref={scroller} tabIndex={0} aria-label={texts.list}>
      {/* Stands for the rows that are not rendered. */}
      <div style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}>
        <table class="table keeps-columns account-table" aria-rowcount={hasMore ? -1 : items.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">{columns.email}</th>
              <th scope="col" class="wide-only">
                {columns.provider}
              </th>
              <th scope="col">{columns.status}</th>
              <th scope="col" class="wide-only">
                {columns.externalId}
              </th>
              <th scope="col" class="wide-only">
                {columns.id}
              </th>
              <th scope="col" class="wide-only end">
                {columns.created}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ index }) => {
              const account = items[index];
              return account === undefined ? null : (
                <AccountRow key={account.id} account={account} index={index} query={query} />
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface AccountRowProps {
  readonly account: EndUserAccount;
  readonly index: number;
  readonly query: string;
}

function AccountRow({ account, index, query }: AccountRowProps) {
  const { id, email, providerType, status, externalId, createdAt } = account;
  return (
    <tr aria-rowindex={index + 2}>
      <td>
        <a class="row-link" href={`${pageLink(applicationId.value ?? '', 'accounts', id)}${query}`}>
          {email}
        </a>
        <span class="narrow-only muted small">
          {providerName(providerType)} · {externalId ?? id}
        </span>
      </td>
      <td class="wide-only">{providerName(providerType)}</td>
      <td>
        <StateLabel tone={status === 'ACTIVE' ? 'good' : 'warning'}>{texts.states[status]}</StateLabel>
      </td>
      <td class="wide-only">
        {externalId === null ? (
          <span class="muted">–</span>
        ) : (
          <span class="cut" title={externalId}>
            {externalId}
          </span>
        )}
      </td>
      <td class="wide-only">
        <CopyId id={id} what={texts.columns.id} length={14} />
      </td>
      <td class="wide-only end">
        <Time at={createdAt} />
      </td>
    </tr>
  );
}

function useIsNarrow(): boolean {
  const [media] = useState(() => matchMedia('(max-width: 699px)'));
  const [isNarrow, setNarrow] = useState(media.matches);
  useEffect(() => {
    const change = () => setNarrow(media.matches);
    media.addEventListener('change', change);
    return () => media.removeEventListener('change', change);
  }, []);
  return isNarrow;
}

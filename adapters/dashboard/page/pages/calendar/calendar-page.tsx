import type { EndUserAccount } from 'kalends/model';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { pageLink } from '../../state/links.ts';
import { applicationId } from '../../state/session.ts';
import { calendarTexts as texts } from '../../texts/en/calendar.ts';
import { AccountCalendar } from './account-calendar.tsx';
import './calendar.css';
import { useCalendarAddress } from './calendar-address.ts';

/** Calendars of one account, as week, month or agenda. `objectId` is the event whose details are open. */
export function CalendarPage({ objectId }: { readonly objectId?: string | undefined }) {
  const { address, show } = useCalendarAddress();
  const { accountId } = address;
  const first = useResource<{ readonly data: readonly EndUserAccount[] }>(
    accountId === undefined ? { path: '/v1/endUserAccounts', query: { limit: 1 } } : undefined,
  );
  const found = first.data?.data[0]?.id;
  useEffect(() => {
    if (accountId === undefined && found !== undefined) show({ accountId: found }, undefined, true);
  }, [accountId, found]);
  if (accountId !== undefined) return <AccountCalendar key={accountId} accountId={accountId} eventId={objectId} />;
  return (
    <>
      <PageHead title={texts.title} purpose={texts.purpose} />
      <ErrorNote error={first.error} onRetry={first.reload} />
      {first.data?.data.length === 0 ? <NoAccount /> : null}
    </>
  );
}

function NoAccount() {
  const { route } = useLocation();
  const { title, hint, action } = texts.empty.noAccount;
  return (
    <div class="card">
      <EmptyState
        icon="calendar"
        title={title}
        hint={hint}
        call={{
          method: 'POST',
          path: '/v1/endUserAccounts',
          body: { email: 'ada@example.com', providerType: 'PROVIDER_A', refreshToken: '…' },
        }}
      >
        <Button kind="primary" onClick={() => route(pageLink(applicationId.value ?? '', 'accounts'))}>
          {action}
        </Button>
      </EmptyState>
    </div>
  );
}

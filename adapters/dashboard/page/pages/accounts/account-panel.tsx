import type { EndUserAccount } from 'kalends/model';
import { ofApplication } from '../../api/samples.ts';
import { useResource } from '../../api/use-resource.ts';
import { CopyId } from '../../parts/copy.tsx';
import { Panel } from '../../parts/dialog.tsx';
import { ApiSample } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { Time } from '../../parts/time.tsx';
import { useActivity, useSettled } from '../../state/activity.ts';
import { pageLink } from '../../state/links.ts';
import { applicationId } from '../../state/session.ts';
import { accountsTexts } from '../../texts/en/accounts.ts';
import { providerName } from '../../texts/en/providers.ts';
import { AccountDanger } from './account-danger.tsx';
import { AccountSync } from './account-sync.tsx';
import { Reconnect } from './reconnect.tsx';

const texts = accountsTexts.panel;

interface AccountPanelProps {
  readonly accountId: string;
  /** Called when the list has to be read again. */
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** An account: who it is, how far its calendars are in sync, and what can be done with it. */
export function AccountPanel({ accountId, onChanged, onClose }: AccountPanelProps) {
  const path = ofApplication(`/accounts/${encodeURIComponent(accountId)}`);
  const { data: account, error, reload } = useResource<EndUserAccount>({ path });
  const isActive = account?.status === 'ACTIVE';
  const readAgain = useSettled(() => {
    onChanged();
    return reload();
  });
  useActivity(
    ['account.status.changed'],
    (activity) => {
      if (activity.type === 'account.status.changed' && activity.endUserAccountId === accountId) readAgain();
    },
    readAgain,
  );
  return (
    <Panel
      title={account?.email ?? texts.loading}
      head={account === undefined ? null : <Head account={account} />}
      onClose={onClose}
    >
      <ErrorNote error={error} onRetry={reload} />
      {account === undefined ? null : (
        <>
          {isActive ? null : <Reconnect accountId={account.id} isUrgent />}
          <AccountSync accountId={account.id} isActive={isActive} />
          <Facts account={account} />
          <div>
            <a
              class="button"
              href={`${pageLink(applicationId.value ?? '', 'calendar')}?account=${encodeURIComponent(account.id)}`}
            >
              {texts.calendar}
            </a>
          </div>
          {isActive ? <Reconnect accountId={account.id} isUrgent={false} /> : null}
          <AccountDanger
            account={account}
            onChanged={onChanged}
            onDeleted={() => {
              onChanged();
              onClose();
            }}
          />
        </>
      )}
      <ApiSample call={{ path: `${path}/syncHealth` }} />
    </Panel>
  );
}

function Head({ account }: { readonly account: EndUserAccount }) {
  const { id, status, providerType } = account;
  return (
    <div class="row small">
      <StateLabel tone={status === 'ACTIVE' ? 'good' : 'warning'}>{accountsTexts.states[status]}</StateLabel>
      <span class="muted">{providerName(providerType)}</span>
      <CopyId id={id} what={texts.id} length={32} />
    </div>
  );
}

function Facts({ account }: { readonly account: EndUserAccount }) {
  const { externalId, authorizedScopes, providerAccountId, createdAt, updatedAt } = account;
  return (
    <dl class="facts">
      <dt>{texts.externalId}</dt>
      <dd>
        {externalId === null ? (
          accountsTexts.noExternalId
        ) : (
          <CopyId id={externalId} what={texts.externalId} length={40} />
        )}
      </dd>
      <dt>{texts.providerAccountId}</dt>
      <dd>
        {providerAccountId === null ? (
          accountsTexts.noExternalId
        ) : (
          <CopyId id={providerAccountId} what={texts.providerAccountId} length={40} />
        )}
      </dd>
      <dt>{texts.connected}</dt>
      <dd>
        <Time at={createdAt} />
      </dd>
      <dt>{texts.changed}</dt>
      <dd>
        <Time at={updatedAt} />
      </dd>
      <dt>{texts.scopes}</dt>
      <dd>
        {authorizedScopes.length === 0 ? (
          texts.noScopes
        ) : (
          <ul class="scopes">
            {authorizedScopes.map((scope) => (
              <li key={scope}>
                <code>{scope}</code>
              </li>
            ))}
          </ul>
        )}
      </dd>
    </dl>
  );
}

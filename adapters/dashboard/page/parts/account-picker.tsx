import type { EndUserAccount } from 'kalends/model';
import { useEffect, useState } from 'preact/hooks';
import { useResource } from '../api/use-resource.ts';
import { accountPickerTexts as texts } from '../texts/en/account-picker.ts';
import { providerName } from '../texts/en/providers.ts';
import { Dialog, DialogBody } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import { TextField } from './field.tsx';
import { StateLabel } from './state-label.tsx';

const QUIET_MS = 200;
const SHOWN = 20;

interface AccountPickerProps {
  readonly title: string;
  readonly hint?: string | undefined;
  /** Accounts that cannot be chosen, since they are. */
  readonly without: readonly string[];
  onChoose(account: EndUserAccount): void;
  onClose(): void;
}

/** Finds one of any number of accounts. */
export function AccountPicker({ title, hint, without, onChoose, onClose }: AccountPickerProps) {
  const [typed, setTyped] = useState('');
  const [search, setSearch] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), QUIET_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useResource<{ readonly data: readonly EndUserAccount[] }>({
    path: '/v1/endUserAccounts',
    query: { search, limit: SHOWN },
  });
  const accounts = found.data?.data.filter(({ id }) => !without.includes(id));
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogBody>
        <TextField label={texts.search} hint={hint} value={typed} onInput={setTyped} hasFocus />
        <ErrorNote error={found.error} onRetry={found.reload} />
        {accounts?.length === 0 ? <p class="muted">{texts.none}</p> : null}
        <ul class="account-list">
          {accounts?.map((account) => (
            <li key={account.id}>
              <button type="button" class="nav-link" onClick={() => onChoose(account)}>
                <span class="account-name">
                  <span>{account.email}</span>
                  <span class="muted small">
                    {providerName(account.providerType)}
                    {account.externalId ? ` · ${account.externalId}` : ''}
                  </span>
                </span>
                {account.status === 'ACTIVE' ? null : <StateLabel tone="warning">{account.status}</StateLabel>}
              </button>
            </li>
          ))}
        </ul>
      </DialogBody>
    </Dialog>
  );
}

import { useEffect, useState } from 'preact/hooks';
import { Choice } from '../../parts/choice.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import type { Filters } from '../../state/filters.ts';
import { session } from '../../state/session.ts';
import { accountsTexts as texts } from '../../texts/en/accounts.ts';
import { providerName } from '../../texts/en/providers.ts';

/** A search begins once the person has stopped typing. */
const TYPING_MS = 250;

/** Search and filters of the list; they stand in the page's address. */
export function AccountToolbar({ filters }: { readonly filters: Filters }) {
  const search = filters.get('q');
  const [text, setText] = useState(search);
  useEffect(() => setText(search), [search]);
  useEffect(() => {
    if (text === search) return;
    const timer = setTimeout(() => filters.set({ q: text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { all, active, expired } = texts.status;
  return (
    <div class="toolbar">
      <SearchField value={text} placeholder={texts.search} onInput={setText} />
      <Choice
        label={texts.status.label}
        value={filters.get('status')}
        options={[
          { value: '', label: all },
          { value: 'active', label: active },
          { value: 'expired', label: expired },
        ]}
        onChange={(value) => filters.set({ status: value })}
      />
      <Choice
        label={texts.provider.label}
        value={filters.get('provider')}
        options={[
          { value: '', label: texts.provider.all },
          ...(session.value?.providerTypes ?? []).map((value) => ({ value, label: providerName(value) })),
        ]}
        onChange={(value) => filters.set({ provider: value })}
      />
    </div>
  );
}

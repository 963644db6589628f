import { useState } from 'preact/hooks';
import { Choice } from '../../parts/choice.tsx';
import { middleTruncated } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { LiveLabel } from '../../parts/live-label.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import type { Filters } from '../../state/filters.ts';
import { auditTexts as texts } from '../../texts/en/audit.ts';
import { SEARCHED } from './audit-filters.ts';
import { filterOf } from './filter-of.ts';

type ActorType = keyof typeof texts.actorTypes;
const optionsOf = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  (Object.keys(labels) as Value[]).map((value) => ({ value, label: labels[value] }));

/** Search, filters and the number of entries. What the search finds becomes a chip. */
export function AuditToolbar({ filters, count }: { readonly filters: Filters; readonly count: string }) {
  const [search, setSearch] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    const text = search.trim();
    if (text === '') return;
    filters.set({ [filterOf(text)]: text });
    setSearch('');
  };
  return (
    <div class="stack-small audit-toolbar">
      <div class="toolbar">
        <form class="audit-search" title={texts.searchHint} onSubmit={submit}>
          <SearchField value={search} placeholder={texts.search} onInput={setSearch} />
        </form>
        <select
          class="input compact"
          aria-label={texts.actors}
          value={filters.get('actorType')}
          onChange={(event) => filters.set({ actorType: event.currentTarget.value })}
        >
          {optionsOf<ActorType>(texts.actorTypes).map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <span class="muted small toolbar-end row">
          {count}
          <LiveLabel />
        </span>
      </div>
      <div class="toolbar">
        <Choice
          label={texts.scope}
          value={filters.get('of') as keyof typeof texts.scopes}
          options={optionsOf(texts.scopes)}
          onChange={(of) => filters.set({ of })}
        />
        <span class="divider" />
        <Choice
          label={texts.period}
          value={filters.get('days') as keyof typeof texts.periods}
          // Names that are numbers come first, whatever their place.
          options={[
            { value: '', label: texts.periods[''] },
            ...optionsOf(texts.periods).filter(({ value }) => value !== ''),
          ]}
          onChange={(days) => filters.set({ days })}
        />
        {SEARCHED.filter((name) => filters.get(name) !== '').map((name) => (
          <button key={name} type="button" class="chip" aria-pressed="true" onClick={() => filters.set({ [name]: '' })}>
            <span class="hidden">{texts.without} </span>
            {texts.filters[name]}: {middleTruncated(filters.get(name))}
            <Icon name="close" />
          </button>
        ))}
      </div>
    </div>
  );
}

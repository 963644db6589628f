import { common } from '../texts/en/frame.ts';
import { Icon } from './icon.tsx';

interface SearchFieldProps {
  readonly value: string;
  readonly placeholder: string;
  readonly onInput: (value: string) => void;
}

/** The search of a list: `/` goes to it, Esc empties it. */
export function SearchField({ value, placeholder, onInput }: SearchFieldProps) {
  return (
    <div class="search">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label={common.search}
        placeholder={placeholder}
        value={value}
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          if (value === '') event.currentTarget.blur();
          else onInput('');
        }}
      />
    </div>
  );
}

import { signal } from '@preact/signals';
import { Icon } from './icon.tsx';

const SHOWN_MS = 4_000;

const toasts = signal<readonly { readonly id: number; readonly text: string }[]>([]);
let count = 0;

/** Says shortly that something has been done. */
export function announce(text: string): void {
  count += 1;
  const toast = { id: count, text };
  toasts.value = [...toasts.value, toast];
  setTimeout(() => {
    toasts.value = toasts.value.filter((other) => other !== toast);
  }, SHOWN_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text }) => (
        <div class="toast" key={id}>
          <Icon name="check" />
          {text}
        </div>
      ))}
    </div>
  );
}

import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import { useSlowly } from './use-slowly.ts';

interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly kind?: 'primary' | 'danger' | 'quiet' | undefined;
  readonly icon?: IconName | undefined;
  /** Name for readers of screens, where there is only an icon. */
  readonly label?: string | undefined;
  readonly type?: 'button' | 'submit';
  readonly isDisabled?: boolean | undefined;
  /** Waits for what it began: it takes no more clicks, and turns after 200 ms. */
  readonly isBusy?: boolean | undefined;
  readonly onClick?: (() => unknown) | undefined;
}

export function Button(props: ButtonProps) {
  const { children, kind, icon, label, type = 'button', isDisabled = false, isBusy = false, onClick } = props;
  const isSlow = useSlowly(isBusy);
  const classes = ['button', kind, children === undefined ? 'icon-only' : undefined].filter(Boolean).join(' ');
  return (
    <button
      type={type}
      class={classes}
      aria-label={label}
      title={children === undefined ? label : undefined}
      aria-busy={isBusy}
      aria-disabled={isBusy}
      disabled={isDisabled}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else void onClick?.();
      }}
    >
      {isSlow ? <span class="spinner" aria-hidden="true" /> : icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}

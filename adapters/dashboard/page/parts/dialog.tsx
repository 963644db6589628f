import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { common } from '../texts/en/frame.ts';
import { Button } from './button.tsx';
import { redrawn } from './redrawn.ts';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called when it was closed by Esc, by its button or by a click beside it. Without it, it stays until it is removed. */
  readonly onClose?: (() => void) | undefined;
}

function useModal(onClose: (() => void) | undefined) {
  const element = useRef<HTMLDialogElement>(null);
  const opener = useRef<Element>(null);
  // Opened after the next paint: the key that opens it must not press its first button.
  useEffect(() => {
    opener.current = document.activeElement;
    element.current?.showModal();
  }, []);
  // Nothing behind an open dialog takes the focus: as soon as it is removed, with those upon it; after the next paint would be late for a key.
  useLayoutEffect(() => () => queueMicrotask(() => redrawn(opener.current)?.focus()), []);
  return {
    ref: element,
    onCancel(event: Event) {
      event.preventDefault();
      onClose?.();
    },
    onClick(event: MouseEvent) {
      // The backdrop belongs to the dialog element itself.
      if (event.target === element.current) onClose?.();
    },
  };
}

/** A question in the middle of the page. Put a `DialogFoot` at the end of a form for its buttons. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const id = useId();
  return (
    <dialog class="dialog" aria-labelledby={id} {...useModal(onClose)}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {onClose === undefined ? null : <Button kind="quiet" icon="close" label={common.close} onClick={onClose} />}
      </div>
      {children}
    </dialog>
  );
}

export function DialogBody({ children }: { readonly children: ComponentChildren }) {
  return <div class="dialog-body">{children}</div>;
}

export function DialogFoot({ children }: { readonly children: ComponentChildren }) {
  return <div class="dialog-foot">{children}</div>;
}

interface PanelProps extends DialogProps {
  readonly onClose: () => void;
  /** Wide enough for two columns. @default false */
  readonly isWide?: boolean;
  /** Stands below the title: an id, a state. */
  readonly head?: ComponentChildren;
}

/** Details at the right of their list, on a phone a sheet from below. Its page gives it an address of its own. */
export function Panel({ title, head, isWide = false, children, onClose }: PanelProps) {
  const id = useId();
  return (
    <dialog class={isWide ? 'panel wide-panel' : 'panel'} aria-labelledby={id} {...useModal(onClose)}>
      <div class="panel-head">
        <div class="stack-small">
          <h2 id={id}>{title}</h2>
          {head}
        </div>
        <Button kind="quiet" icon="close" label={common.close} onClick={onClose} />
      </div>
      <div class="panel-body">{children}</div>
    </dialog>
  );
}

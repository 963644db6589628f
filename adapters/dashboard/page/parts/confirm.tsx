import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from '../api/use-action.ts';
import { common } from '../texts/en/frame.ts';
import { Button } from './button.tsx';
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import { TextField } from './field.tsx';

interface ConfirmProps {
  readonly title: string;
  /** The loss, in numbers. */
  readonly children: ComponentChildren;
  readonly verb: string;
  /** To be typed, where the act cannot be undone. */
  readonly name?: string;
  readonly action: Action<[], unknown>;
  readonly onClose: () => void;
}

/** Asks before something is destroyed. */
export function Confirm({ title, children, verb, name, action, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void action.run();
        }}
      >
        <DialogBody>
          <div>{children}</div>
          {name === undefined ? null : (
            <TextField label={common.confirmName(name)} value={typed} onInput={setTyped} hasFocus />
          )}
          <ErrorNote error={action.error} />
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            type="submit"
            kind="danger"
            isBusy={action.isRunning}
            isDisabled={name !== undefined && typed.trim() !== name.trim()}
          >
            {verb}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

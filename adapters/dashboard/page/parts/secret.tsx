import { common } from '../texts/en/frame.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx';

interface SecretDialogProps {
  readonly title: string;
  readonly secret: string;
  /** Name of the secret, for its copy button. */
  readonly what: string;
  readonly hint?: string;
  /** A page that takes the secret, with it in the fragment of its address. */
  readonly use?: { readonly label: string; readonly href: string } | undefined;
  readonly onStored: () => void;
}

/** Shows a secret the one time that it can be read; it is closed by “I have stored it” alone. */
export function SecretDialog({ title, secret, what, hint, use, onStored }: SecretDialogProps) {
  return (
    <Dialog title={title}>
      <DialogBody>
        <p>{common.onlyOnce}</p>
        <div class="row secret">
          <code>{secret}</code>
          <CopyButton text={secret} what={what} />
        </div>
        {hint === undefined ? null : <p class="muted">{hint}</p>}
      </DialogBody>
      <DialogFoot>
        {use === undefined ? null : (
          <a class="button" href={use.href} target="_blank" rel="noreferrer">
            {use.label}
          </a>
        )}
        <Button kind="primary" onClick={onStored}>
          {common.stored}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

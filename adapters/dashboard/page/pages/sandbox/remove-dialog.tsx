import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { sandboxTexts } from '../../texts/en/sandbox.ts';
import { eventCall, type Mailbox, type MailboxEvent } from './mailboxes.ts';
import { type Scope, ScopeChoice } from './scope-choice.tsx';

const texts = sandboxTexts.event;

interface RemoveDialogProps {
  readonly mailbox: Mailbox;
  readonly calendarId: string;
  readonly event: MailboxEvent;
  readonly onClose: () => void;
  readonly onRemoved: () => Promise<void>;
}

/** Asks before an event or an occurrence is deleted at the provider. */
export function RemoveDialog({ mailbox, calendarId, event, onClose, onRemoved }: RemoveDialogProps) {
  const [scope, setScope] = useState<Scope>('this');
  const id = scope === 'all' ? (event.seriesId ?? event.id) : event.id;
  const remove = useAction(async () => {
    await request({ ...eventCall(mailbox, calendarId, id), method: 'DELETE' });
    await onRemoved();
  });
  return (
    <Confirm title={texts.removeTitle(event.title)} verb={texts.remove} action={remove} onClose={onClose}>
      <div class="stack">
        <p>{texts.removeText(mailbox.email)}</p>
        {event.seriesId === null ? null : <ScopeChoice value={scope} onChange={setScope} />}
        {scope === 'all' ? <p class="muted small">{texts.removeSeries}</p> : null}
      </div>
    </Confirm>
  );
}

import type { Receiver, WebhookDelivery } from 'kalends/model';
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TextField } from '../../parts/field.tsx';
import { announce } from '../../parts/toasts.tsx';
import { serverNow } from '../../state/server-time.ts';
import { common } from '../../texts/en/frame.ts';
import { webhooksTexts } from '../../texts/en/webhooks.ts';
import { deliveriesCall, type Page, receiverPath } from './calls.ts';
import { failedMessages } from './receiver-state.ts';

const texts = webhooksTexts.recover;
const DAY_MS = 86_400_000;
/** Attempts that are looked through for the number. */
const COUNTED = 250;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns a time as a `datetime-local` field has it, in the browser's zone. */
function localText(at: number): string {
  const zoneMs = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - zoneMs).toISOString().slice(0, 16);
}

/** Sends again what failed since a time, and says how much that is. */
export function RecoverDialog({ receiver, onClose }: { readonly receiver: Receiver; readonly onClose: () => void }) {
  const [since, setSince] = useState(() => localText(serverNow() - DAY_MS));
  const log = useResource<Page<WebhookDelivery>>(deliveriesCall(receiver.id, COUNTED));
  const sinceMs = new Date(since).getTime();
  const recover = useAction(async () => {
    const body = { since: new Date(sinceMs).toISOString() };
    const path = receiverPath(receiver.id, 'recover');
    const { recovered } = await request<{ readonly recovered: number }>({ method: 'POST', path, body });
    announce(texts.done(recovered));
    onClose();
  });
  const isValid = !Number.isNaN(sinceMs);
  const isMore = log.data?.nextPageToken != null && Date.parse(log.data.data.at(-1)?.attemptedAt ?? '') > sinceMs;
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void recover.run();
        }}
      >
        <DialogBody>
          <TextField
            label={texts.since}
            hint={texts.sinceHint(ZONE)}
            type="datetime-local"
            value={since}
            onInput={setSince}
            problem={recover.error?.ruleOf('since')}
            isRequired
            hasFocus
          />
          <p role="status">
            {log.data === undefined
              ? texts.counting
              : texts.count(failedMessages(log.data.data, isValid ? sinceMs : undefined), isMore)}
          </p>
          <ErrorNote error={recover.error ?? log.error} />
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" kind="primary" isDisabled={!isValid} isBusy={recover.isRunning}>
            {texts.submit}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

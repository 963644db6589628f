import type { Receiver, WebhookDelivery } from 'kalends/model';
import { useId, useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { CodeBlock, CopyId } from '../../parts/copy.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Icon } from '../../parts/icon.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { Time } from '../../parts/time.tsx';
import { announce } from '../../parts/toasts.tsx';
import { webhooksTexts } from '../../texts/en/webhooks.ts';
import { receiverPath } from './calls.ts';
import { OUTCOME_TONES } from './receiver-state.ts';

const texts = webhooksTexts.log;

interface DeliveryEntryProps {
  readonly receiver: Receiver;
  readonly delivery: WebhookDelivery;
  readonly onRedelivered: () => Promise<void>;
}

/** One attempt: a line, and on request what was sent and answered. */
export function DeliveryEntry({ receiver, delivery, onRedelivered }: DeliveryEntryProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { eventType, outcome, attemptedAt, latencyMs } = delivery;
  return (
    <li class="delivery">
      <button
        type="button"
        class="delivery-line"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'right'} />
        <StateLabel tone={OUTCOME_TONES[outcome]}>{statusOf(delivery)}</StateLabel>
        <span class="mono delivery-type">{eventType}</span>
        <span class="muted small no-wrap delivery-latency">{webhooksTexts.duration(latencyMs)}</span>
      </button>
      <span class="small muted no-wrap">
        <Time at={attemptedAt} />
      </span>
      {isOpen ? (
        <div class="delivery-details" id={id}>
          <DeliveryDetails receiver={receiver} delivery={delivery} onRedelivered={onRedelivered} />
        </div>
      ) : null}
    </li>
  );
}

function DeliveryDetails({ receiver, delivery, onRedelivered }: DeliveryEntryProps) {
  const { messageId, outcome, latencyMs, nextAttemptAt } = delivery;
  const redeliver = useAction(async () => {
    await request({ method: 'POST', path: receiverPath(receiver.id, 'redeliver'), body: { messageId } });
    announce(texts.redelivered);
    await onRedelivered();
  });
  return (
    <div class="stack-small">
      <div class="side-by-side">
        <div class="stack-tiny">
          <h4>{texts.request}</h4>
          <CodeBlock text={requestText(receiver, delivery)} what={texts.request} />
        </div>
        <div class="stack-tiny">
          <h4>{texts.response}</h4>
          <CodeBlock text={responseText(delivery)} what={texts.response} />
        </div>
      </div>
      <dl class="facts">
        <dt>{texts.message}</dt>
        <dd>
          <CopyId id={messageId} what={texts.message} length={40} />
        </dd>
        <dt>{webhooksTexts.columns.state}</dt>
        <dd>{texts.outcomes[outcome]}</dd>
        <dt>{texts.latency}</dt>
        <dd>{webhooksTexts.duration(latencyMs)}</dd>
        {nextAttemptAt === null ? null : (
          <>
            <dt>{texts.nextAttempt}</dt>
            <dd>
              <Time at={nextAttemptAt} />
            </dd>
          </>
        )}
      </dl>
      <ErrorNote error={redeliver.error} />
      <div class="row">
        <Button
          icon="repeat"
          isBusy={redeliver.isRunning}
          isDisabled={receiver.disabledAt !== null}
          onClick={redeliver.run}
        >
          {texts.redeliver}
        </Button>
      </div>
    </div>
  );
}

/** Returns what came of an attempt, in a word or two: `204`, `no answer in time`. */
function statusOf({ status, errorClass }: WebhookDelivery): string {
  if (status !== null) return errorClass === null ? String(status) : `${status} ${texts.classes[errorClass]}`;
  return errorClass === null ? '–' : texts.classes[errorClass];
}

function requestText({ url }: Receiver, { messageId, attemptedAt, request: body }: WebhookDelivery): string {
  const seconds = Math.floor(Date.parse(attemptedAt) / 1_000);
  const head = `POST ${url}\nhook-id: ${messageId}\nhook-timestamp: ${seconds}\nhook-signature: v1,…`;
  return `${head}\n\n${body === null ? texts.purged : indented(body)}`;
}

function responseText({ status, response }: WebhookDelivery): string {
  if (status === null) return texts.noAnswer;
  return `${status}\n\n${response === '' ? texts.emptyAnswer : indented(response)}`;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

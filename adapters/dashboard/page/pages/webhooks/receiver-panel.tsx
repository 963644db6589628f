import type { Receiver, SecretRotated, WebhookDelivery } from 'kalends/model';
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyId } from '../../parts/copy.tsx';
import { Panel } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { StateLabel } from '../../parts/state-label.tsx';
import { Time } from '../../parts/time.tsx';
import { announce } from '../../parts/toasts.tsx';
import { webhooksTexts as texts } from '../../texts/en/webhooks.ts';
import { deliveriesCall, ownPath, type Page, receiverPath, removalOf } from './calls.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { failedMessages, STATE_TONES, stateOf } from './receiver-state.ts';
import { RecoverDialog } from './recover-dialog.tsx';

/** Attempts that are read to say what a deletion loses. */
const COUNTED = 250;

interface ReceiverPanelProps {
  readonly receiver: Receiver;
  readonly onChanged: () => Promise<void>;
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}

/** One receiver: what it is, what was sent to it, and what can be done with it. */
export function ReceiverPanel({ receiver, onChanged, onSecret, onClose }: ReceiverPanelProps) {
  const [asking, setAsking] = useState<'recover' | 'rotate'>();
  const [loss, setLoss] = useState<string>();
  const state = stateOf(receiver, undefined);
  const enable = useAction(async () => {
    await request({ method: 'POST', path: receiverPath(receiver.id, 'enable') });
    announce(texts.enabled);
    await onChanged();
  });
  const rotate = useAction(async () => {
    const path = `${ownPath(receiver)}/rotateSecret`;
    const { endpointSecret } = await request<SecretRotated>({ method: 'POST', path });
    setAsking(undefined);
    onSecret(endpointSecret);
  });
  const ask = useAction(async () => {
    const { data, nextPageToken } = await request<Page<WebhookDelivery>>(deliveriesCall(receiver.id, COUNTED));
    setLoss(texts.remove.lost(data.length, nextPageToken !== null, failedMessages(data.filter(waits))));
  });
  const remove = useAction(async () => {
    await request(removalOf(receiver));
    announce(texts.remove.done);
    onClose();
    await onChanged();
  });
  return (
    <Panel
      title={texts.kinds[receiver.kind]}
      isWide
      onClose={onClose}
      head={
        <span class="row">
          <CopyId id={receiver.id} what={texts.columns.receiver} length={40} />
          <StateLabel tone={STATE_TONES[state]}>{texts.states[state]}</StateLabel>
        </span>
      }
    >
      {state === 'disabled' ? (
        <div class="note bad">
          <p>{texts.disabledNote}</p>
          <div class="row">
            <Button isBusy={enable.isRunning} onClick={enable.run}>
              {texts.enable}
            </Button>
          </div>
        </div>
      ) : null}
      <ErrorNote error={enable.error ?? ask.error} />
      <Facts receiver={receiver} />
      <div class="row">
        <Button icon="repeat" isDisabled={state === 'disabled'} onClick={() => setAsking('recover')}>
          {texts.recover.button}
        </Button>
        <Button icon="key" onClick={() => setAsking('rotate')}>
          {texts.rotate.button}
        </Button>
        <Button kind="danger" isBusy={ask.isRunning} onClick={ask.run}>
          {texts.remove.button}
        </Button>
      </div>
      <DeliveryLog receiver={receiver} />
      {asking === 'recover' ? <RecoverDialog receiver={receiver} onClose={() => setAsking(undefined)} /> : null}
      {asking === 'rotate' ? (
        <Confirm
          title={texts.rotate.title}
          verb={texts.rotate.button}
          action={rotate}
          onClose={() => setAsking(undefined)}
        >
          {texts.rotate.text}
        </Confirm>
      ) : null}
      {loss === undefined ? null : (
        <Confirm
          title={texts.remove.title}
          verb={texts.remove.button}
          action={remove}
          onClose={() => setLoss(undefined)}
        >
          {loss}
        </Confirm>
      )}
    </Panel>
  );
}

const waits = ({ nextAttemptAt }: WebhookDelivery): boolean => nextAttemptAt !== null;

function Facts({ receiver }: { readonly receiver: Receiver }) {
  const { facts } = texts;
  const { url, kind, endUserAccountId, calendarId, rateLimit, failingSince, disabledAt, createdAt } = receiver;
  return (
    <dl class="facts">
      <dt>{facts.url}</dt>
      <dd>
        <code>{url}</code>
      </dd>
      {endUserAccountId === null ? null : (
        <>
          <dt>{facts.account}</dt>
          <dd>
            <CopyId id={endUserAccountId} what={facts.account} length={40} />
          </dd>
        </>
      )}
      <dt>{facts.covers}</dt>
      <dd>{kind === 'endpoint' ? facts.accounts : (calendarId ?? facts.wholeAccount)}</dd>
      <dt>{facts.rate}</dt>
      <dd>{rateLimit === null ? facts.noLimit : facts.perSecond(rateLimit)}</dd>
      <dt>{facts.created}</dt>
      <dd>
        <Time at={createdAt} />
      </dd>
      {failingSince === null ? null : (
        <>
          <dt>{facts.failingSince}</dt>
          <dd>
            <Time at={failingSince} />
          </dd>
        </>
      )}
      {disabledAt === null ? null : (
        <>
          <dt>{facts.disabledAt}</dt>
          <dd>
            <Time at={disabledAt} />
          </dd>
        </>
      )}
    </dl>
  );
}

import type { EndUserAccount } from 'kalends/model';
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { announce } from '../../parts/toasts.tsx';
import { accountsTexts } from '../../texts/en/accounts.ts';
import { type Loss, lossText, readLoss } from './read-loss.ts';

const texts = accountsTexts.danger;

interface AccountDangerProps {
  readonly account: EndUserAccount;
  readonly onChanged: () => void;
  readonly onDeleted: () => void;
}

/** Expires or deletes an account, after saying in numbers what that means. */
export function AccountDanger({ account, onChanged, onDeleted }: AccountDangerProps) {
  const { id, email, status } = account;
  const path = ofApplication(`/accounts/${id}`);
  const [asked, setAsked] = useState<{ readonly act: 'expire' | 'delete'; readonly loss: Loss }>();
  const ask = useAction(async (act: 'expire' | 'delete') => setAsked({ act, loss: await readLoss(id) }));
  const close = () => setAsked(undefined);
  const expire = useAction(async () => {
    await request({ method: 'POST', path: `${path}/expire` });
    announce(texts.expired);
    onChanged();
  });
  const remove = useAction(async () => {
    await request({ method: 'DELETE', path });
    announce(texts.deleted);
    onDeleted();
  });
  return (
    <section class="stack-small">
      <h3>{texts.title}</h3>
      <ErrorNote error={ask.error} />
      <div class="row">
        {status === 'ACTIVE' ? (
          <Button kind="danger" isBusy={ask.isRunning} onClick={() => ask.run('expire')}>
            {texts.expire}
          </Button>
        ) : null}
        <Button kind="danger" isBusy={ask.isRunning} onClick={() => ask.run('delete')}>
          {texts.delete}
        </Button>
      </div>
      {asked?.act === 'expire' ? (
        <Confirm title={texts.expireTitle(email)} verb={texts.expire} action={expire} onClose={close}>
          {texts.expireText(texts.calendars(asked.loss.calendars))}
        </Confirm>
      ) : null}
      {asked?.act === 'delete' ? (
        <Confirm title={texts.deleteTitle(email)} verb={texts.delete} name={email} action={remove} onClose={close}>
          {texts.deleteText(lossText(asked.loss))}
        </Confirm>
      ) : null}
    </section>
  );
}

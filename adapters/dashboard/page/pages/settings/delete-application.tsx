import type { ApiKey, EndUserAccount, Receiver } from 'kalends/model';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { request } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { announce } from '../../parts/toasts.tsx';
import { applicationsLink } from '../../state/links.ts';
import { loadApplications } from '../../state/load-session.ts';
import { application } from '../../state/session.ts';
import { settingsTexts } from '../../texts/en/settings.ts';

const texts = settingsTexts.danger;
const COUNTED = 250;

interface Page<Item> {
  readonly data: readonly Item[];
  readonly nextPageToken: string | null;
}

/** Reads, in words, what would be lost with the application. */
async function readLoss(): Promise<string> {
  const query = { limit: COUNTED };
  const [accounts, keys, receivers] = await Promise.all([
    request<Page<EndUserAccount>>({ path: ofApplication('/accounts'), query }),
    request<Page<ApiKey>>({ path: ofApplication('/apiKeys') }),
    request<Page<Receiver>>({ path: ofApplication('/receivers'), query }),
  ]);
  return texts.lost(
    texts.accounts(accounts.data.length, accounts.nextPageToken !== null),
    keys.data.filter(({ revokedAt }) => revokedAt === null).length,
    texts.receivers(receivers.data.length, receivers.nextPageToken !== null),
  );
}

/** Deletes the application, after its name was typed. */
export function DeleteApplication() {
  const { route } = useLocation();
  const [loss, setLoss] = useState<string>();
  const ask = useAction(async () => setLoss(await readLoss()));
  const remove = useAction(async () => {
    await request({ method: 'DELETE', path: ofApplication() });
    announce(texts.deleted);
    await loadApplications();
    route(applicationsLink());
  });
  const name = application.value?.name ?? '';
  return (
    <section class="card">
      <div class="card-head">
        <h2>{texts.title}</h2>
      </div>
      <div class="card-body stack-small">
        <p class="muted">{texts.text}</p>
        <ErrorNote error={ask.error} />
        <div>
          <Button kind="danger" isBusy={ask.isRunning} onClick={ask.run}>
            {texts.button}
          </Button>
        </div>
      </div>
      {loss === undefined ? null : (
        <Confirm
          title={texts.confirm(name)}
          verb={texts.button}
          name={name}
          action={remove}
          onClose={() => setLoss(undefined)}
        >
          {loss}
        </Confirm>
      )}
    </section>
  );
}

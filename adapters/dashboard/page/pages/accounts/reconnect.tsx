import type { ReconnectLink } from 'kalends/model';
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { accountsTexts } from '../../texts/en/accounts.ts';

const texts = accountsTexts.reconnect;

/** Makes the link through which a person reconnects a mailbox; urgent where the account is expired. */
export function Reconnect({ accountId, isUrgent }: { readonly accountId: string; readonly isUrgent: boolean }) {
  const [url, setUrl] = useState<string>();
  const create = useAction(async () => {
    const path = ofApplication(`/accounts/${accountId}/reconnectLink`);
    setUrl((await request<ReconnectLink>({ method: 'POST', path })).url);
  });
  return (
    <section class={isUrgent ? 'note warning reconnect' : 'stack-small'}>
      {isUrgent ? (
        <>
          <h3>{texts.title}</h3>
          <p>{texts.text}</p>
        </>
      ) : null}
      <ErrorNote error={create.error} />
      {url === undefined ? (
        <div>
          <Button kind={isUrgent ? 'primary' : undefined} isBusy={create.isRunning} onClick={create.run}>
            {texts.button}
          </Button>
        </div>
      ) : (
        <>
          <CodeBlock text={url} what={texts.link} />
          <p class="small">{texts.hint}</p>
        </>
      )}
    </section>
  );
}

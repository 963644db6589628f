import { useState } from 'preact/hooks';
import { connectUrl } from '../../api/samples.ts';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Dialog, DialogBody } from '../../parts/dialog.tsx';
import { pageLink } from '../../state/links.ts';
import { applicationId, session } from '../../state/session.ts';
import { accountsTexts } from '../../texts/en/accounts.ts';
import { providerName } from '../../texts/en/providers.ts';

const texts = accountsTexts.connect;

/** Opens a dialog with the address of each provider's browser flow; `onClose` reads the accounts again. */
export function ConnectMailbox({ onClose }: { readonly onClose: () => unknown }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    void onClose();
  };
  return (
    <>
      <Button kind="primary" icon="plus" onClick={() => setOpen(true)}>
        {texts.button}
      </Button>
      {isOpen ? (
        <Dialog title={texts.button} onClose={close}>
          <DialogBody>
            <p>{texts.text}</p>
            {(session.value?.providerTypes ?? []).map((providerType) => (
              <ProviderFlow key={providerType} providerType={providerType} />
            ))}
            <p class="small muted">
              {(session.value?.oauthProviderTypes ?? []).length > 0 ? texts.oauthClients : texts.clients}{' '}
              <a href={pageLink(applicationId.value ?? '', 'settings')}>{texts.settings}</a>
            </p>
          </DialogBody>
        </Dialog>
      ) : null}
    </>
  );
}

function ProviderFlow({ providerType }: { readonly providerType: string }) {
  const name = providerName(providerType);
  const url = connectUrl(providerType);
  return (
    <section class="stack-small">
      <h3>{name}</h3>
      <CodeBlock text={url} what={texts.link(name)} />
      <div>
        <a class="button" href={url} target="_blank" rel="noreferrer">
          {texts.open(name)}
        </a>
      </div>
    </section>
  );
}

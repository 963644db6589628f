import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { request } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../parts/button.tsx';
import { ApiSample } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TextField } from '../../parts/field.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { announce } from '../../parts/toasts.tsx';
import { pageLink } from '../../state/links.ts';
import { loadApplications } from '../../state/load-session.ts';
import { application, applicationId } from '../../state/session.ts';
import { common } from '../../texts/en/frame.ts';
import { settingsTexts as texts } from '../../texts/en/settings.ts';
import { DeleteApplication } from './delete-application.tsx';
import { OAuthClientPanel } from './oauth-client-panel.tsx';
import { OAuthClients } from './oauth-clients.tsx';
import { RedirectUrls } from './redirect-urls.tsx';

/** Name, redirect URLs, OAuth clients and the end of an application. Details of the client at a provider are `objectId`. */
export function SettingsPage({ objectId }: { readonly objectId?: string | undefined }) {
  const { route } = useLocation();
  const [changes, setChanges] = useState(0);
  const id = applicationId.value ?? '';
  return (
    <>
      <PageHead title={texts.title} purpose={texts.purpose} />
      <div class="stack">
        <NameCard />
        <RedirectUrls />
        <OAuthClients key={changes} />
        <DeleteApplication />
        <ApiSample call={{ path: ofApplication() }} />
      </div>
      {objectId === undefined ? null : (
        <OAuthClientPanel
          providerType={objectId}
          onChanged={() => setChanges(changes + 1)}
          onClose={() => route(pageLink(id, 'settings'))}
        />
      )}
    </>
  );
}

function NameCard() {
  const [name, setName] = useState(application.value?.name ?? '');
  const save = useAction(async () => {
    await request({ method: 'PUT', path: ofApplication(), body: { name } });
    await loadApplications();
    announce(texts.name.saved);
  });
  const problem = save.error?.ruleOf('name');
  return (
    <section class="card">
      <form
        class="card-body stack-small"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        <div class="row input-row">
          <TextField label={texts.name.label} value={name} onInput={setName} problem={problem} isRequired />
          <Button type="submit" isBusy={save.isRunning} isDisabled={name === application.value?.name}>
            {common.save}
          </Button>
        </div>
        {problem === undefined ? <ErrorNote error={save.error} /> : null}
      </form>
    </section>
  );
}

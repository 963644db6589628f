import type { OAuthClient } from 'kalends/model';
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Panel } from '../../parts/dialog.tsx';
import { ApiSample } from '../../parts/empty-state.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TextField } from '../../parts/field.tsx';
import { announce } from '../../parts/toasts.tsx';
import { session } from '../../state/session.ts';
import { CONSOLE_STEPS, providerName } from '../../texts/en/providers.ts';
import { settingsTexts } from '../../texts/en/settings.ts';

const texts = settingsTexts.client;
const FIELDS = ['clientId', 'clientSecret', 'secretExpiresAt', 'settings.tenant'];

interface OAuthClientPanelProps {
  readonly providerType: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Sets, changes or removes the OAuth client at one provider, with what to do in the provider's console. */
export function OAuthClientPanel({ providerType, onChanged, onClose }: OAuthClientPanelProps) {
  const path = ofApplication(`/oauthClients/${providerType}`);
  const client = useResource<OAuthClient>({ path });
  const isMissing = client.error?.status === 404;
  const name = providerName(providerType);
  const console = CONSOLE_STEPS[name];
  return (
    <Panel title={texts.title(name)} onClose={onClose}>
      {isMissing ? null : <ErrorNote error={client.error} onRetry={client.reload} />}
      <section class="stack-small">
        <h3>{texts.redirectUri}</h3>
        <RedirectUri providerType={providerType} client={client.data} />
      </section>
      {console === undefined ? null : (
        <section class="stack-small">
          <h3>{texts.steps}</h3>
          <ol class="steps">
            {console.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <a href={console.url} target="_blank" rel="noreferrer">
            {console.url}
          </a>
        </section>
      )}
      {client.data !== undefined || isMissing ? (
        <ClientForm
          key={client.data?.updatedAt}
          path={path}
          client={client.data}
          hasTenant={name === 'Microsoft'}
          onChanged={async () => {
            onChanged();
            await client.reload();
          }}
          onRemoved={() => {
            onChanged();
            onClose();
          }}
        />
      ) : null}
      <ApiSample call={{ path }} />
    </Panel>
  );
}

function RedirectUri({
  providerType,
  client,
}: {
  readonly providerType: string;
  readonly client: OAuthClient | undefined;
}) {
  const apiUrl = session.value?.apiUrl;
  const ofServer = apiUrl ? `${apiUrl}/v1/oauth/callback/${providerType.toLowerCase()}` : undefined;
  const uri = client?.redirectUri ?? ofServer;
  return uri === undefined ? (
    <p class="muted">{texts.noRedirectUri}</p>
  ) : (
    <CodeBlock text={uri} what={texts.redirectUri} />
  );
}

interface ClientFormProps {
  readonly path: string;
  readonly client: OAuthClient | undefined;
  readonly hasTenant: boolean;
  readonly onChanged: () => Promise<void>;
  readonly onRemoved: () => void;
}

function ClientForm({ path, client, hasTenant, onChanged, onRemoved }: ClientFormProps) {
  const [clientId, setClientId] = useState(client?.clientId ?? '');
  const [clientSecret, setClientSecret] = useState('');
  const [ends, setEnds] = useState(client?.secretExpiresAt?.slice(0, 10) ?? '');
  const [tenant, setTenant] = useState(client?.settings['tenant'] ?? 'common');
  const [scopes, setScopes] = useState(client?.scopes?.join(' ') ?? '');
  const [isRemoving, setRemoving] = useState(false);
  const save = useAction(async () => {
    const body = {
      clientId: clientId.trim(),
      clientSecret: clientSecret.trim(),
      settings: hasTenant ? { ...client?.settings, tenant: tenant.trim() } : (client?.settings ?? {}),
      scopes: scopes.trim() === '' ? null : scopes.trim().split(/\s+/),
      secretExpiresAt: ends === '' ? null : `${ends}T00:00:00Z`,
    };
    await request({ method: 'PUT', path, body });
    announce(texts.saved);
    await onChanged();
  });
  const remove = useAction(async () => {
    await request({ method: 'DELETE', path });
    announce(texts.removed);
    onRemoved();
  });
  const ruleOf = (field: string) => save.error?.ruleOf(field);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <TextField
        label={texts.clientId}
        value={clientId}
        onInput={setClientId}
        problem={ruleOf('clientId')}
        isRequired
      />
      <TextField
        label={texts.clientSecret}
        hint={texts.secretHint}
        type="password"
        autoComplete="new-password"
        value={clientSecret}
        onInput={setClientSecret}
        problem={ruleOf('clientSecret')}
        isRequired
      />
      <TextField
        label={texts.secretExpiresAt}
        hint={texts.secretExpiresHint}
        type="date"
        value={ends}
        onInput={setEnds}
        problem={ruleOf('secretExpiresAt')}
        isOptional
      />
      {hasTenant ? (
        <TextField
          label={texts.tenant}
          hint={texts.tenantHint}
          value={tenant}
          onInput={setTenant}
          problem={ruleOf('settings.tenant')}
        />
      ) : null}
      <TextField label={texts.scopes} hint={texts.scopesHint} value={scopes} onInput={setScopes} isOptional />
      {FIELDS.some((field) => ruleOf(field) !== undefined) ? null : <ErrorNote error={save.error} />}
      <div class="row spread">
        <Button type="submit" kind="primary" isBusy={save.isRunning}>
          {texts.save}
        </Button>
        {client === undefined ? null : (
          <Button kind="danger" onClick={() => setRemoving(true)}>
            {texts.remove}
          </Button>
        )}
      </div>
      {isRemoving ? (
        <Confirm title={texts.removeTitle} verb={texts.remove} action={remove} onClose={() => setRemoving(false)}>
          {texts.removeText}
        </Confirm>
      ) : null}
    </form>
  );
}

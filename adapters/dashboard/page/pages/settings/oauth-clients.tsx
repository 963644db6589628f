import type { OAuthClient, OAuthClientTest } from 'kalends/model';
import { useState } from 'preact/hooks';
import { request } from '../../api/request.ts';
import { ofApplication } from '../../api/samples.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../parts/button.tsx';
import { CopyId } from '../../parts/copy.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { StateLabel, type Tone } from '../../parts/state-label.tsx';
import { Time } from '../../parts/time.tsx';
import { pageLink } from '../../state/links.ts';
import { applicationId, session } from '../../state/session.ts';
import { providerName } from '../../texts/en/providers.ts';
import { settingsTexts } from '../../texts/en/settings.ts';

const texts = settingsTexts.clients;
const TONES: Readonly<Record<OAuthClientTest['outcome'], Tone>> = {
  accepted: 'good',
  refused: 'bad',
  unavailable: 'warning',
};

/** The OAuth client at each provider, and whether the provider accepts it. */
export function OAuthClients() {
  const clients = useResource<{ readonly data: readonly OAuthClient[] }>({ path: ofApplication('/oauthClients') });
  return (
    <section class="card" aria-labelledby="oauth-clients">
      <div class="card-head">
        <h2 id="oauth-clients">{texts.title}</h2>
      </div>
      <div class="card-body stack">
        <p class="muted">{texts.purpose}</p>
        <ErrorNote error={clients.error} onRetry={clients.reload} />
        <ul class="lines">
          {(session.value?.oauthProviderTypes ?? []).map((providerType) => (
            <li key={providerType}>
              <ClientLine
                providerType={providerType}
                client={clients.data?.data.find((client) => client.providerType === providerType)}
              />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

interface ClientLineProps {
  readonly providerType: string;
  readonly client: OAuthClient | undefined;
}

function ClientLine({ providerType, client }: ClientLineProps) {
  const [outcome, setOutcome] = useState<OAuthClientTest>();
  const test = useAction(async () => {
    const path = ofApplication(`/oauthClients/${providerType}/test`);
    setOutcome(await request<OAuthClientTest>({ method: 'POST', path }));
  });
  return (
    <div class="stack-small">
      <div class="row spread">
        <div class="row">
          <h3>{providerName(providerType)}</h3>
          <code class="muted small">{providerType}</code>
          {client === undefined ? (
            <StateLabel tone="neutral">{texts.none}</StateLabel>
          ) : (
            <StateLabel tone="good">{texts.set}</StateLabel>
          )}
        </div>
        <div class="row">
          {client === undefined ? null : (
            <Button isBusy={test.isRunning} onClick={test.run}>
              {texts.test}
            </Button>
          )}
          <a class="button" href={pageLink(applicationId.value ?? '', 'settings', providerType)}>
            {client === undefined ? texts.setUp : texts.edit}
          </a>
        </div>
      </div>
      {client === undefined ? null : (
        <dl class="facts">
          <dt>{texts.clientId}</dt>
          <dd>
            <CopyId id={client.clientId} what={texts.clientId} length={48} />
          </dd>
          <dt>{texts.secretEnds}</dt>
          <dd>
            <Time at={client.secretExpiresAt} none={texts.unknown} />
          </dd>
        </dl>
      )}
      <ErrorNote error={test.error} />
      {outcome === undefined ? null : (
        <p class="row" role="status">
          <StateLabel tone={TONES[outcome.outcome]}>{texts.outcomes[outcome.outcome]}</StateLabel>
          {outcome.message}
        </p>
      )}
    </div>
  );
}

import type { ApiKey, EndUserAccount, OAuthClient, Receiver } from 'kalends/model';
import { ofApplication } from '../../api/samples.ts';
import { useResource } from '../../api/use-resource.ts';
import { Icon } from '../../parts/icon.tsx';
import { type PageName, pageLink } from '../../state/links.ts';
import { applicationId, session } from '../../state/session.ts';
import { firstSteps as texts } from '../../texts/en/first-steps.ts';

interface List<Item> {
  readonly data: readonly Item[];
}

const ONE = { limit: 1 };
const PAGES: Readonly<Record<Exclude<keyof typeof texts.steps, 'application'>, PageName>> = {
  client: 'settings',
  key: 'keys',
  account: 'accounts',
  webhook: 'webhooks',
};

/** The way to a first webhook, each step checked by what is there; nothing once all are done. */
export function FirstSteps() {
  const clients = useResource<List<OAuthClient>>({ path: ofApplication('/oauthClients') }).data;
  const keys = useResource<List<ApiKey>>({ path: ofApplication('/apiKeys') }).data;
  const accounts = useResource<List<EndUserAccount>>({ path: ofApplication('/accounts'), query: ONE }).data;
  const receivers = useResource<List<Receiver>>({ path: ofApplication('/receivers'), query: ONE }).data;
  if (!(clients && keys && accounts && receivers)) return null;
  const isDone: Readonly<Record<keyof typeof texts.steps, boolean>> = {
    application: true,
    // Providers without OAuth need none, and the first account shows that it was not needed.
    client: clients.data.length > 0 || accounts.data.length > 0 || session.value?.oauthProviderTypes.length === 0,
    key: keys.data.some(({ revokedAt }) => revokedAt === null),
    account: accounts.data.length > 0,
    webhook: receivers.data.length > 0,
  };
  const steps = Object.keys(texts.steps) as (keyof typeof texts.steps)[];
  const done = steps.filter((step) => isDone[step]);
  if (done.length === steps.length) return null;
  return (
    <section class="card first-steps" aria-labelledby="first-steps">
      <div class="card-head">
        <h2 id="first-steps">{texts.title}</h2>
        <span class="muted small">{texts.progress(done.length, steps.length)}</span>
      </div>
      <ol class="card-body lines">
        {steps.map((step) => (
          <li key={step} class="row nowrap">
            <StepMark isDone={isDone[step]} />
            <div>
              {step === 'application' || isDone[step] ? (
                <span>{texts.steps[step].title}</span>
              ) : (
                <a href={pageLink(applicationId.value ?? '', PAGES[step])}>{texts.steps[step].title}</a>
              )}
              {isDone[step] ? null : <p class="muted small">{texts.steps[step].hint}</p>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

function StepMark({ isDone }: { readonly isDone: boolean }) {
  return (
    <span class={`step-mark ${isDone ? 'good' : 'neutral'}`}>
      {isDone ? <Icon name="check" /> : null}
      <span class="hidden">{isDone ? texts.done : texts.open}</span>
    </span>
  );
}

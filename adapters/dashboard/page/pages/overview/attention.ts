import type { Diagnosis, MeasurementList, Receiver } from 'kalends/model';
import { middleTruncated } from '../../parts/copy.tsx';
import { pageLink } from '../../state/links.ts';
import { overviewTexts } from '../../texts/en/overview.ts';
import { providerTroubles, type Trouble } from './provider-troubles.ts';
import { type Choice, providersOf, totalSince } from './series.ts';

const texts = overviewTexts.attention;
const QUARTER_MS = 15 * 60_000;
const HOUR_MS = 60 * 60_000;
/** Samples of the last two minutes: a process samples once a minute. */
const SAMPLED_MS = 2 * 60_000;
const LATE_SECONDS = 300;

/** Something that a person ought to look at. */
export interface Attention extends Trouble {
  readonly remedy?: string | undefined;
  readonly link?: { readonly href: string; readonly label: string } | undefined;
}

/** Returns what is wrong by the last hour's measurements. `oauthProviderTypes`: the providers that need an OAuth client. */
export function fromMeasurements(
  list: MeasurementList,
  applicationId: string,
  now: number,
  oauthProviderTypes: readonly string[],
): readonly Attention[] {
  const since = (ms: number, choose: Choice) => totalSince(list, now - ms, choose);
  const named = (name: string) => since(HOUR_MS, (series) => series.name === name).count;
  const sampled = (name: string) => since(SAMPLED_MS, (series) => series.name === name).max;
  const link = (page: 'webhooks' | 'accounts', label: string, query = '') => ({
    href: `${pageLink(applicationId, page)}${query}`,
    label,
  });
  const settings = (provider: string) =>
    oauthProviderTypes.includes(provider)
      ? { href: pageLink(applicationId, 'settings', provider), label: texts.links.settings }
      : undefined;
  const providers = providersOf(list, 'providerCalls').flatMap((provider) =>
    providerTroubles(list, provider, now).map((trouble) => ({ ...trouble, link: settings(provider) })),
  );
  const found: Attention[] = [...providers];
  const requests = since(QUARTER_MS, ({ name }) => name === 'requests').count;
  const errors = since(QUARTER_MS, ({ name, result }) => name === 'requests' && result === '5xx').count;
  if (errors > 0) found.push({ tone: 'bad', text: texts.errors(errors, requests) });
  const lag = sampled('syncLagSeconds');
  if (lag >= LATE_SECONDS) found.push({ tone: 'bad', text: texts.late(lag, sampled('dueCollections')) });
  const deliveryLag = sampled('deliveryLagSeconds');
  if (deliveryLag >= LATE_SECONDS) {
    found.push({
      tone: 'warning',
      text: texts.deliveriesLate(deliveryLag),
      link: link('webhooks', texts.links.webhooks),
    });
  }
  const givenUp = named('messagesGivenUp');
  if (givenUp > 0) {
    found.push({ tone: 'warning', text: texts.givenUp(givenUp), link: link('webhooks', texts.links.webhooks) });
  }
  const expired = named('accountsExpired');
  if (expired > 0) {
    const expiredLink = link('accounts', texts.links.accounts, '?status=expired');
    found.push({ tone: 'warning', text: texts.expired(expired), link: expiredLink });
  }
  return found;
}

/** Returns the receivers that get nothing. */
export function fromReceivers(
  receivers: readonly Receiver[],
  applicationId: string,
  now: number,
): readonly Attention[] {
  return receivers
    .filter(({ disabledAt, failingSince }) => disabledAt !== null || failingSince !== null)
    .map(({ id, url, disabledAt, failingSince }) => {
      const name = middleTruncated(url, 64);
      const failingMs = failingSince === null ? 0 : Math.max(0, now - Date.parse(failingSince));
      return {
        tone: disabledAt === null ? 'warning' : 'bad',
        text: disabledAt === null ? texts.receiverFailing(name, failingMs / 1_000) : texts.receiverDisabled(name),
        link: { href: pageLink(applicationId, 'webhooks', id), label: texts.links.receiver },
      };
    });
}

/** Returns the findings of the diagnosis that have a remedy. */
export function fromDiagnosis({ findings }: Diagnosis): readonly Attention[] {
  return findings.flatMap(({ status, message, remedy }) =>
    status === 'warning' || status === 'failed'
      ? [
          {
            tone: status === 'failed' ? ('bad' as const) : ('warning' as const),
            text: message,
            remedy: remedy ?? undefined,
          },
        ]
      : [],
  );
}

import { requireStorableText } from '../model/index.ts';

type Method = (...parameters: unknown[]) => Promise<unknown>;

/** Names of the texts that the methods of a service, or one of them, take in their order; null: no text. */
const TEXTS: Readonly<Record<string, readonly (string | null)[]>> = {
  applications: ['applicationId'],
  'applications.configureProvider': ['applicationId', 'providerType'],
  'applications.revokeApiKey': ['applicationId', 'keyId'],
  // Any key that is none is answered alike.
  'applications.authenticate': [],
  accounts: [null, 'endUserAccountId'],
  authorization: ['applicationId', 'provider'],
  calendars: [null, 'endUserAccountId', 'calendarId'],
  events: [null, 'endUserAccountId', 'calendarId', 'eventId'],
  freeBusy: [null, 'endUserAccountId'],
  subscriptions: [null, 'endUserAccountId', 'subscriptionId'],
  webhookEndpoints: [null, 'endpointId'],
};

/** The same services; ids that not every storage can be asked for are refused. Bodies and queries are the model's to check. */
export function checkTexts<Services extends object>(services: Services): Services {
  const checked = Object.entries(services).map(([name, service]) => [name, checkService(name, service)]);
  return Object.fromEntries(checked) as Services;
}

function checkService(serviceName: string, service: object): object {
  const methods = Object.entries(service).map(([method, work]) => {
    if (typeof work !== 'function') return [method, work];
    const names = TEXTS[`${serviceName}.${method}`] ?? TEXTS[serviceName] ?? [];
    const checked: Method = async (...parameters) => {
      for (const [index, name] of names.entries()) {
        const text = parameters[index];
        if (name !== null && typeof text === 'string') requireStorableText(name, text);
      }
      return await (work as Method).apply(service, parameters);
    };
    return [method, checked];
  });
  return Object.fromEntries(methods);
}

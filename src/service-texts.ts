import type { Engine } from './engine-interface.ts';
import type { ServiceTexts } from './runtime/index.ts';

const ACCOUNT = [null, 'endUserAccountId'] as const;
const CALENDAR = [...ACCOUNT, 'calendarId'] as const;
const EVENT = [...CALENDAR, 'eventId'] as const;
const SUBSCRIPTION = [...ACCOUNT, 'subscriptionId'] as const;
const ENDPOINT = [null, 'endpointId'] as const;

/** Names of the texts that the services' methods take, for errors. */
export const SERVICE_TEXTS: ServiceTexts<Omit<Engine, 'providerTypes' | 'start' | 'stop'>> = {
  applications: {
    create: [],
    find: ['applicationId'],
    list: [],
    update: ['applicationId'],
    configureProvider: ['applicationId', 'providerType'],
    createApiKey: ['applicationId'],
    listApiKeys: ['applicationId'],
    revokeApiKey: ['applicationId', 'keyId'],
    // A malformed key gets the same answer as an unknown one.
    authenticate: [],
  },
  accounts: { list: [], get: ACCOUNT, getCredentials: ACCOUNT, listUnreadable: ACCOUNT, upsert: [], delete: ACCOUNT },
  authorization: { begin: ['applicationId', 'provider'], callback: ['provider'] },
  calendars: { list: ACCOUNT, get: CALENDAR, create: ACCOUNT, update: CALENDAR, delete: CALENDAR },
  events: {
    list: CALENDAR,
    listJson: CALENDAR,
    get: EVENT,
    listOccurrences: EVENT,
    create: CALENDAR,
    update: EVENT,
    respond: EVENT,
    delete: EVENT,
  },
  freeBusy: { query: ACCOUNT },
  subscriptions: {
    list: ACCOUNT,
    create: ACCOUNT,
    delete: ACCOUNT,
    listDeliveries: SUBSCRIPTION,
    redeliver: SUBSCRIPTION,
    recover: SUBSCRIPTION,
    rotateSecret: SUBSCRIPTION,
    enable: SUBSCRIPTION,
  },
  webhookEndpoints: {
    list: [],
    create: [],
    delete: ENDPOINT,
    listDeliveries: ENDPOINT,
    redeliver: ENDPOINT,
    recover: ENDPOINT,
    rotateSecret: ENDPOINT,
    enable: ENDPOINT,
  },
  // An unknown provider is answered like a malformed one.
  push: { receive: [null] },
  dataKeys: { rewrap: [] },
};

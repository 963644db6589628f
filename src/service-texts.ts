import type { Engine } from './engine-interface.ts';
import type { ServiceTexts } from './runtime/index.ts';

const ACCOUNT = [null, 'endUserAccountId'] as const;
const CALENDAR = [...ACCOUNT, 'calendarId'] as const;
const EVENT = [...CALENDAR, 'eventId'] as const;
const SUBSCRIPTION = [...ACCOUNT, 'subscriptionId'] as const;
const HOLD = [null, 'holdId'] as const;
const ENDPOINT = [null, 'endpointId'] as const;

const APPLICATION_ACCOUNT = ['applicationId', 'endUserAccountId'] as const;
const RECEIVER = ['applicationId', 'receiverId'] as const;
const CLIENT = ['applicationId', 'providerType'] as const;

/** Names of the texts that the services' methods take, for errors. */
export const SERVICE_TEXTS: ServiceTexts<
  Omit<Engine, 'activity' | 'providerTypes' | 'oauthProviderTypes' | 'telemetry' | 'start' | 'stop'>
> = {
  applications: {
    create: [],
    find: ['applicationId'],
    get: ['applicationId'],
    list: [],
    update: ['applicationId'],
    delete: ['applicationId'],
    addRedirectUrl: ['applicationId'],
    removeRedirectUrl: ['applicationId'],
  },
  oauthClients: { set: CLIENT, get: CLIENT, list: ['applicationId'], test: CLIENT, remove: CLIENT },
  apiKeys: {
    create: ['applicationId'],
    list: ['applicationId'],
    revoke: ['applicationId', 'keyId'],
    // A malformed key gets the same answer as an unknown one.
    authenticate: [],
  },
  audit: { list: [] },
  operations: {
    getSyncHealth: APPLICATION_ACCOUNT,
    sync: APPLICATION_ACCOUNT,
    diagnose: [],
    listMeasurements: [],
    resumeAfterRestore: [],
    expire: APPLICATION_ACCOUNT,
    createReconnectLink: APPLICATION_ACCOUNT,
    listReceivers: ['applicationId'],
    listDeliveries: RECEIVER,
    redeliver: RECEIVER,
    recover: RECEIVER,
    enableReceiver: RECEIVER,
  },
  accounts: { list: [], get: ACCOUNT, getCredentials: ACCOUNT, listUnreadable: ACCOUNT, upsert: [], delete: ACCOUNT },
  authorization: {
    begin: ['applicationId', 'provider'],
    callback: ['provider'],
    showSignIn: ['provider'],
    signIn: ['provider', null, null, null],
  },
  calendars: { list: ACCOUNT, get: CALENDAR, create: ACCOUNT, update: CALENDAR, delete: CALENDAR },
  events: {
    list: CALENDAR,
    listJson: CALENDAR,
    get: EVENT,
    listOccurrences: EVENT,
    export: CALENDAR,
    listAttachments: EVENT,
    getDescription: EVENT,
    create: CALENDAR,
    check: CALENDAR,
    update: EVENT,
    respond: EVENT,
    delete: EVENT,
  },
  freeBusy: { query: ACCOUNT, queryAccounts: [] },
  availability: { query: [], explain: [] },
  holds: { create: [], get: HOLD, delete: HOLD, confirm: HOLD },
  // A malformed token gets the same answer as an unknown one.
  bookings: { get: [null, null], move: [null, null], cancel: [null, null] },
  feeds: { list: [], create: [], delete: [null, 'feedId'] },
  imports: { create: CALENDAR, get: [...CALENDAR, 'importId'] },
  // A malformed secret gets the same answer as an unknown one.
  publicFeeds: { read: [null] },
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
  dataKeys: { rewrap: [], check: [], checkKeyrings: [] },
  erasure: { verify: [] },
};

import type { Engine } from './engine-interface.ts';
import type { ServiceEffects } from './runtime/index.ts';

/** Services whose methods take a caller. */
type CallerServices = Pick<
  Engine,
  | 'accounts'
  | 'calendars'
  | 'events'
  | 'freeBusy'
  | 'availability'
  | 'holds'
  | 'bookings'
  | 'subscriptions'
  | 'webhookEndpoints'
  | 'feeds'
  | 'imports'
>;

/** Which methods a caller that may only read can use. Reading credentials is a right of its own. */
export const SERVICE_EFFECTS: ServiceEffects<CallerServices> = {
  accounts: {
    list: 'reads',
    get: 'reads',
    getCredentials: 'reads',
    listUnreadable: 'reads',
    upsert: 'writes',
    delete: 'writes',
  },
  calendars: { list: 'reads', get: 'reads', create: 'writes', update: 'writes', delete: 'writes' },
  events: {
    list: 'reads',
    listJson: 'reads',
    get: 'reads',
    listOccurrences: 'reads',
    export: 'reads',
    listAttachments: 'reads',
    getDescription: 'reads',
    create: 'writes',
    // Of what a caller may not do.
    check: 'writes',
    update: 'writes',
    respond: 'writes',
    delete: 'writes',
  },
  freeBusy: { query: 'reads', queryAccounts: 'reads' },
  availability: { query: 'reads', explain: 'reads' },
  holds: { create: 'writes', get: 'reads', delete: 'writes', confirm: 'writes' },
  bookings: { get: 'reads', move: 'writes', cancel: 'writes' },
  feeds: { list: 'reads', create: 'writes', delete: 'writes' },
  imports: { create: 'writes', get: 'reads' },
  subscriptions: {
    list: 'reads',
    create: 'writes',
    delete: 'writes',
    listDeliveries: 'reads',
    redeliver: 'writes',
    recover: 'writes',
    rotateSecret: 'writes',
    enable: 'writes',
  },
  webhookEndpoints: {
    list: 'reads',
    create: 'writes',
    delete: 'writes',
    listDeliveries: 'reads',
    redeliver: 'writes',
    recover: 'writes',
    rotateSecret: 'writes',
    enable: 'writes',
  },
};

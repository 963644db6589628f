const number = new Intl.NumberFormat('en');
const counted = (count: number, one: string, many: string) => `${number.format(count)} ${count === 1 ? one : many}`;

/** Returns the length of an interval: `2 min`, `6 h`. */
function intervalText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 2) return `${Math.round(ms / 1_000)} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

export const accountsTexts = {
  title: 'Accounts',
  purpose: 'The mailboxes that people have connected, and how far their calendars are in sync.',
  search: 'Search e-mail or externalId',
  status: { label: 'Status', all: 'All', active: 'Active', expired: 'Expired' },
  provider: { label: 'Provider', all: 'All providers' },
  columns: {
    email: 'E-mail',
    provider: 'Provider',
    status: 'Status',
    externalId: 'externalId',
    id: 'Id',
    created: 'Connected',
  },
  states: { ACTIVE: 'Active', EXPIRED: 'Expired' },
  count: (count: number, isWhole: boolean) =>
    isWhole ? counted(count, 'account', 'accounts') : `${counted(count, 'account', 'accounts')} read so far`,
  order: 'Oldest first',
  keys: 'Keys: j and k move, Enter opens, / searches, Esc closes.',
  list: 'Accounts, oldest first',
  noExternalId: 'none',
  export: {
    csv: 'Export CSV',
    json: 'Export JSON',
    running: (count: number) => `${number.format(count)} exported`,
    stop: 'Stop',
    done: (count: number) => `${counted(count, 'account', 'accounts')} exported`,
  },
  empty: {
    title: 'No account is connected yet',
    hint: 'People connect a mailbox through the browser flow; your backend can hand over a refresh token that it has.',
  },
  connect: {
    button: 'Connect mailbox',
    text: 'Open the sign-in of a provider yourself, or send its address to the person whose mailbox it is. The account appears here once the person has agreed.',
    link: (provider: string) => `Address of the sign-in at ${provider}`,
    open: (provider: string) => `Sign in at ${provider}`,
    clients: 'The application needs a redirect URL.',
    oauthClients: 'A provider with OAuth needs its OAuth client, and the application a redirect URL.',
    settings: 'Settings',
  },
  none: { title: 'No account matches', hint: 'Change the search or the filters.', clear: 'Clear filters' },
  panel: {
    loading: 'Account',
    externalId: 'externalId',
    scopes: 'Scopes',
    noScopes: 'none known',
    connected: 'Connected',
    changed: 'Changed',
    providerAccountId: "Provider's id",
    id: 'Account id',
    calendar: 'Show its calendars',
  },
  reconnect: {
    title: 'The person has to reconnect this mailbox',
    text: 'The provider refuses its grant. Its mirror is kept, and works again once the person has signed in through this link.',
    button: 'Create reconnect link',
    link: 'Reconnect link',
    hint: 'Send it to the person whose mailbox it is. It asks for exactly this mailbox.',
  },
  health: {
    title: 'Sync',
    calendarList: 'List of calendars',
    none: 'No calendar has been read yet.',
    stopped: (ago: string) => `Read ${ago}; stopped until the mailbox is reconnected`,
    neverRead: 'Stopped before it was read',
    upToDate: (ago: string) => `Up to date ${ago}`,
    lastRead: (ago: string) => `Last read ${ago}`,
    first: 'Being read for the first time',
    pushPending: 'a change is being fetched',
    push: (until: string) => `push until ${until}`,
    poll: (everyMs: number) => `asked every ${intervalText(everyMs)}`,
    onRead: 'pulled when it is read',
    setAside: (count: number) => `${counted(count, 'event', 'events')} could not be read`,
    failures: (count: number, ago: string) =>
      count === 1
        ? `The last pull failed ${ago}`
        : `The last ${number.format(count)} pulls failed, most recently ${ago}`,
    missing: (ago: string) => `The provider stopped listing it ${ago}`,
    coolDown: (until: string) => `The provider throttles this account: it is asked again ${until}.`,
    slowed: (factor: number) => `After throttling, it is asked ${number.format(factor)} times less often.`,
    reasons: 'Why they could not be read',
    part: 'part of an event',
    states: {
      current: 'In sync',
      remarked: 'Needs a look',
      failing: 'Failing',
      first: 'First read',
      stopped: 'Stopped',
    },
  },
  sync: {
    button: 'Sync now',
    running: (done: number, total: number) =>
      `${number.format(done)} of ${counted(total, 'collection', 'collections')} read`,
    failed: (count: number) => `${number.format(count)} failed, and will be tried again`,
    background: 'It goes on by itself: you can close this.',
    done: 'Synced',
  },
  danger: {
    title: 'End this account',
    expire: 'Expire',
    expireTitle: (email: string) => `Expire ${email}?`,
    expireText: (calendars: string) =>
      `Its sync stops at once (${calendars}), until its person has reconnected it. Nothing is deleted, and its grant is not revoked.`,
    expired: 'The account is expired',
    delete: 'Delete',
    deleteTitle: (email: string) => `Delete ${email}?`,
    deleteText: (lost: string) =>
      `${lost} are lost, and its grant is revoked at the provider. The calendars at the provider stay as they are.`,
    deleted: 'The account is deleted',
    lost: (subscriptions: string, events: string, calendars: string) => `${subscriptions}, ${events} in ${calendars}`,
    subscriptions: (count: number) => counted(count, 'subscription', 'subscriptions'),
    events: (count: number, hasMore: boolean) =>
      hasMore
        ? `more than ${number.format(count)} mirrored events`
        : counted(count, 'mirrored event', 'mirrored events'),
    unknownEvents: 'all mirrored events',
    calendars: (count: number) => counted(count, 'calendar', 'calendars'),
  },
};

export const webhooksTexts = {
  title: 'Webhooks',
  purpose: 'Receivers of messages: endpoints hear of accounts, subscriptions of calendars.',
  createEndpoint: 'New endpoint',
  createSubscription: 'New subscription',
  search: 'Address, id, account or calendar',
  kinds: { endpoint: 'Endpoint', subscription: 'Subscription' },
  filter: 'Show',
  filters: {
    '': 'All',
    endpoint: 'Endpoints',
    subscription: 'Subscriptions',
    failing: 'Failing',
    disabled: 'Disabled',
  },
  columns: { receiver: 'Receiver', kind: 'Kind', state: 'State', attempts: 'Newest attempts', last: 'Last attempt' },
  states: { delivering: 'Delivers', failing: 'Failing', disabled: 'Disabled', silent: 'Nothing sent yet' },
  count: (shown: number, all: number, isMore: boolean) => {
    const total = `${all}${isMore ? '+' : ''}`;
    return shown === all
      ? `${total} ${all === 1 && !isMore ? 'receiver' : 'receivers'}`
      : `${shown} of ${total} receivers`;
  },
  attempts: (good: number, all: number) => `${good} of ${all} delivered`,
  spark: (good: number, all: number, median: string) =>
    all === 0
      ? 'No attempt yet'
      : `The newest ${all} attempts: ${good} delivered, ${all - good} failed, median ${median}`,
  noneFound: 'No receiver fits. Change the search or the filter.',
  empty: {
    title: 'Create the first webhook endpoint',
    hint: 'Your server then hears when accounts are connected, expire or are deleted. Subscriptions tell it of changes in calendars.',
  },
  endpoint: {
    title: 'New endpoint',
    submit: 'Create endpoint',
    url: 'Address',
    urlHint: 'An https URL of a public address. It gets a POST for each message.',
    rate: 'Messages per second, at most',
    rateHint: 'From 1 to 10,000. Left empty, there is no limit.',
  },
  subscription: {
    title: 'New subscription',
    submit: 'Create subscription',
    account: 'Account',
    accountHint: 'The first 50 accounts that fit the search.',
    accountSearch: 'Search for the account',
    noAccount: 'No account fits.',
    covers: 'Tells of',
    everything: 'The list of calendars, and changes in any of them',
    calendar: (name: string) => `Changes in “${name}”`,
  },
  created: 'The signing secret',
  createdHint: 'Your server verifies each message with it. Keep it where the receiver runs.',
  secret: 'Signing secret',
  facts: {
    url: 'Address',
    account: 'Account',
    covers: 'Tells of',
    wholeAccount: 'all calendars of the account',
    accounts: 'the accounts of this application',
    rate: 'Rate',
    noLimit: 'no limit',
    perSecond: (rate: number) => `at most ${rate} per second`,
    created: 'Created',
    failingSince: 'Failing since',
    disabledAt: 'Disabled since',
  },
  disabledNote:
    'It failed for too long, or answered 410, so no messages are sent. Mend the receiver, then enable it: an endpoint gets what waited, a subscription one message that says to read anew.',
  enable: 'Enable',
  enabled: 'The receiver is enabled',
  recover: {
    button: 'Send failed ones again',
    title: 'Send again what failed',
    since: 'Created since',
    sinceHint: (zone: string) =>
      `In ${zone}. Messages that were given up, or wait for a retry, are sent again under their own hook-id.`,
    counting: 'Looking through the log …',
    count: (count: number, isMore: boolean) =>
      count === 0
        ? 'The log has no message since then whose last attempt failed.'
        : `The log has ${isMore ? 'at least ' : ''}${count} ${count === 1 ? 'message' : 'messages'} since then whose last attempt failed.`,
    submit: 'Send again',
    done: (count: number) => `${count} ${count === 1 ? 'message is' : 'messages are'} due`,
  },
  rotate: {
    button: 'Rotate secret',
    title: 'Rotate the signing secret?',
    text: 'A new secret signs all messages from now on. The one before signs them as well for a day, so that you can change it without a gap.',
    title2: 'The new signing secret',
    until: (time: string) => `The one before also signs until ${time}.`,
  },
  remove: {
    button: 'Delete',
    title: 'Delete this receiver?',
    lost: (attempts: number, isMore: boolean, waiting: number) =>
      `This deletes its log of ${isMore ? 'more than ' : ''}${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}${waiting === 0 ? '' : `, and ${waiting} ${waiting === 1 ? 'message that waits' : 'messages that wait'} for another attempt`}. It gets no more messages. It cannot be undone.`,
    done: 'The receiver is deleted',
  },
  log: {
    title: 'Deliveries',
    filters: { '': 'All', failed: 'Failed' },
    empty: 'Nothing was sent yet. A message comes with the next change.',
    emptyFailed: 'No attempt of the log has failed.',
    outcomes: {
      delivered: 'Delivered',
      retry: 'Failed, is repeated',
      dead: 'Given up',
      disabled: 'Given up, disabled',
    },
    classes: {
      timeout: 'no answer in time',
      connection: 'no connection',
      tls: 'TLS failed',
      dns: 'no such host',
      'address-refused': 'address refused',
      redirect: 'a redirect',
      'client-error': 'refused',
      'server-error': 'server error',
      'handler-error': 'handler failed',
    },
    request: 'Request',
    response: 'Answer',
    noAnswer: 'No answer came.',
    emptyAnswer: 'The answer had no body.',
    purged: 'The message has been purged.',
    sent: 'Sent',
    latency: 'Latency',
    nextAttempt: 'Next attempt',
    message: 'Message',
    redeliver: 'Redeliver',
    redelivered: 'The message is due',
    details: (eventType: string, outcome: string) => `${eventType}: ${outcome}`,
  },
  duration: (ms: number) => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`),
};

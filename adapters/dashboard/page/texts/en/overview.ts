import { providerName } from './providers.ts';

const number = new Intl.NumberFormat('en');
const few = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
const share = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 });
const counted = (count: number, one: string, many: string) => `${number.format(count)} ${count === 1 ? one : many}`;

/** Returns a duration in its greatest unit: `320 ms`, `4.2 s`, `12 min`, `3 h`. */
export function durationText(seconds: number): string {
  if (seconds === 0) return '0 s';
  if (seconds < 1) return `${few.format(seconds * 1_000)} ms`;
  if (seconds < 120) return `${few.format(seconds)} s`;
  return seconds < 7_200 ? `${few.format(seconds / 60)} min` : `${few.format(seconds / 3_600)} h`;
}

export const countText = (count: number): string => number.format(count);
export const shareText = (part: number): string => share.format(part);

const lastHour = 'in the last hour';
const lastQuarter = 'in the last 15 minutes';

export const overviewTexts = {
  title: 'Overview',
  purpose: 'The state of the whole service: all processes, and all applications.',
  period: { label: 'Period', hour: 'Last hour', day: 'Last day' },
  state: {
    title: 'State of the service',
    checking: 'Checking the running system …',
    good: 'All is well',
    goodText: 'Nothing is late, throttled or failing, and every check has passed.',
    look: (count: number) => `${counted(count, 'thing needs', 'things need')} a look`,
    checked: 'Checked',
    checkAgain: 'Check again',
    tones: { bad: 'Broken', warning: 'Warning' },
  },
  attention: {
    throttled: (provider: string, throttled: number, calls: number) =>
      `${providerName(provider)} has throttled ${number.format(throttled)} of ${counted(calls, 'call', 'calls')} ${lastQuarter}. Its polls slow down by themselves.`,
    failing: (provider: string, failed: number, calls: number) =>
      `${providerName(provider)} has failed ${number.format(failed)} of ${counted(calls, 'call', 'calls')} ${lastQuarter}. They are tried again.`,
    budget: (provider: string, used: number) =>
      `${providerName(provider)}: ${share.format(used)} of a daily budget of calls is used.`,
    late: (seconds: number, due: number) =>
      `Pulls are late: ${counted(due, 'collection is', 'collections are')} due, the first for ${durationText(seconds)}. Are enough processes at work?`,
    deliveriesLate: (seconds: number) =>
      `Webhook deliveries are late: the first has been due for ${durationText(seconds)}.`,
    expired: (count: number) =>
      `${counted(count, 'account has', 'accounts have')} expired ${lastHour}: their people have to reconnect them.`,
    givenUp: (count: number) =>
      `${counted(count, 'webhook message was', 'webhook messages were')} given up ${lastHour}.`,
    errors: (failed: number, requests: number) =>
      `${number.format(failed)} of ${counted(requests, 'request', 'requests')} ${lastQuarter} got an answer of 5xx.`,
    receiverDisabled: (url: string) => `The receiver ${url} is disabled, and gets no messages.`,
    receiverFailing: (url: string, seconds: number) =>
      `The receiver ${url} has failed for ${durationText(Math.round(seconds))}. Its messages wait, and are tried again.`,
    links: {
      settings: 'OAuth client',
      webhooks: 'Deliveries',
      receiver: 'Receiver',
      accounts: 'Expired accounts',
    },
  },
  plots: {
    requests: { title: 'Requests to /v1', unit: 'requests' },
    providerCalls: { title: 'Calls of providers', unit: 'calls' },
    pulls: { title: 'Pulls', unit: 'pulls' },
    lag: { title: 'Sync lag', unit: 'age of the first due pull' },
    due: { title: 'Due work', unit: 'waiting' },
    deliveries: { title: 'Webhook deliveries', unit: 'deliveries' },
    latency: { title: 'Delivery latency', unit: 'until the answer' },
    budget: { title: 'Daily budget used', unit: 'of the calls of a day' },
  },
  lines: {
    answered: 'Answered',
    failed: 'Failed',
    throttled: 'Throttled',
    complete: 'Complete',
    postponed: 'Postponed',
    delivered: 'Delivered',
    collections: 'Collections',
    receivers: 'Receivers',
    mean: 'Mean',
    slowest: 'Slowest',
    lag: 'Lag',
  },
  figures: {
    part: (part: number, label: string) => `${share.format(part)} ${label.toLowerCase()}`,
    none: 'none failed',
    most: (text: string) => `at most ${text}`,
  },
  nothing: 'Nothing in this time',
  noLag: 'Nothing was late',
  noDue: 'Nothing has waited',
  asTable: 'As a table',
  time: 'Time',
  empty: {
    title: 'Nothing has happened yet',
    hint: 'Set up a provider and connect the first account: its calls, pulls and deliveries appear here within 15 seconds.',
    settings: 'Set up a provider',
  },
};

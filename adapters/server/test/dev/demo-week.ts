import { slowness } from '../../../../test/machine-pace.ts';
import { items } from '../../src/tour/api.ts';
import { connectMailboxes, openFailingReceiver, startDemo } from './demo-world.ts';

const DAYS = 7;
const DAY_MS = 86_400_000;

/** The demo after its week. */
export interface DemoWeek {
  /** Processor time of the week, in milliseconds of a quiet machine. */
  readonly quietMs: number;
  readonly accounts: readonly { readonly status: unknown; readonly expiresInMs: number }[];
  readonly posts: number;
}

/** Lets a week of the demo pass, writes an event in each account then, and prints a `DemoWeek` as a line of JSON. */
export async function main(): Promise<void> {
  const demo = await startDemo();
  const receiver = await openFailingReceiver(0);
  try {
    const { dev, api } = demo;
    const mailboxes = await connectMailboxes(demo, receiver.url);
    let quietMs = 0;
    for (let day = 0; day < DAYS; day += 1) {
      const before = process.cpuUsage();
      await dev.clock.advance(DAY_MS);
      // Time of the processor: other programs of the machine do not count, but for what they slow it down at the time.
      quietMs += process.cpuUsage(before).user / 1_000 / slowness();
    }
    const accounts = [];
    for (const { id, calendarId } of mailboxes) {
      const { status } = await api.expect('GET', `/v1/endUserAccounts/${id}`);
      const [subscription] = items(await api.expect('GET', `/v1/calendarSubscriptions/${id}`));
      accounts.push({ status, expiresInMs: Date.parse(String(subscription?.expiration)) - dev.clock.now() });
      const event = {
        title: 'Next week',
        start: { dateTime: `${new Date(dev.clock.now()).toISOString().slice(0, 19)}Z` },
      };
      await api.expect('POST', `/v1/events/${id}/${encodeURIComponent(calendarId)}`, event, 201);
    }
    await dev.clock.advance(60_000);
    console.log(JSON.stringify({ quietMs, accounts, posts: receiver.posts.length } satisfies DemoWeek));
  } finally {
    await demo.stop();
    await receiver.close();
  }
}

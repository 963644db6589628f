import { expect, it } from 'vitest';
import { slowness } from '../../../../test/machine-pace.ts';
import { items } from '../../src/tour/api.ts';
import { connectMailboxes, openFailingReceiver, startDemo } from './demo-world.ts';

const DAYS = 7;
const DAY_MS = 86_400_000;

it('lets a week pass in a minute: accounts, tokens and push channels live on', async () => {
  const demo = await startDemo();
  const receiver = await openFailingReceiver(0);
  try {
    const { dev, api } = demo;
    const accounts = await connectMailboxes(demo, receiver.url);
    let quietMs = 0;
    for (let day = 0; day < DAYS; day += 1) {
      const before = process.cpuUsage();
      await dev.clock.advance(DAY_MS);
      // Time of the processor: other programs of the machine do not count, but for what they slow it down at the time.
      quietMs += process.cpuUsage(before).user / 1_000 / slowness();
    }
    expect(quietMs).toBeLessThan(60_000);
    for (const { id, calendarId } of accounts) {
      expect(await api.expect('GET', `/v1/endUserAccounts/${id}`)).toMatchObject({ status: 'ACTIVE' });
      const [subscription] = items(await api.expect('GET', `/v1/calendarSubscriptions/${id}`));
      expect(Date.parse(String(subscription?.expiration))).toBeGreaterThan(dev.clock.now());
      const event = {
        title: 'Next week',
        start: { dateTime: `${new Date(dev.clock.now()).toISOString().slice(0, 19)}Z` },
      };
      await api.expect('POST', `/v1/events/${id}/${encodeURIComponent(calendarId)}`, event, 201);
    }
    await dev.clock.advance(60_000);
    expect(receiver.posts.length).toBeGreaterThanOrEqual(2);
  } finally {
    await demo.stop();
    await receiver.close();
  }
});

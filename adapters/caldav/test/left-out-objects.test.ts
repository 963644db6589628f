import { expect, it } from 'vitest';
import { ADA, startHarness } from './harness.ts';

it('shows no earlier text under the tag of a later change, where a server leaves an object out of its answer', async () => {
  let asked = 0;
  let between: (() => Promise<unknown>) | undefined;
  const harness = await startHarness({
    async fetch(input, init) {
      const response = await fetch(input, init);
      const { pathname } = new URL(String(input));
      // Between the two requests for the object that was left out.
      if (pathname.endsWith('.ics') && ['GET', 'PROPFIND'].includes(init?.method ?? 'GET')) {
        asked += 1;
        const change = between;
        between = undefined;
        await change?.();
      }
      return response;
    },
  });
  try {
    const session = await harness.sessionOf(ADA);
    const calendar = await harness.primaryOf(ADA);
    const at = (hour: string) => ({ dateTime: `2026-03-02T${hour}:00:00Z`, timeZone: 'UTC' });
    for (const requestId of ['one', 'two']) {
      const input = { title: 'Earlier', isAllDay: false, start: at('09'), end: at('10') };
      await harness.provider.events.create(session, calendar, input, { requestId });
    }
    harness.control('setQuirks', { quirks: ['omitsListedHref'] });
    const [first] = (harness.control('objects', { email: ADA }) as { objects: { name: string; data: string }[] })
      .objects;
    const path = `${Buffer.from(calendar.id, 'base64url')}${first?.name}`;
    between = async () => {
      const { password } = harness.control('addAppPassword', { email: ADA }) as { password: string };
      const authorization = `Basic ${Buffer.from(`${ADA}:${password}`).toString('base64')}`;
      const body = first?.data.replace('Earlier', 'Later') ?? '';
      const headers = { authorization, 'content-type': 'text/calendar' };
      const { status } = await fetch(new URL(path, harness.url), { method: 'PUT', headers, body });
      expect(status).toBeLessThan(300);
    };
    const titles = new Map<string | null, string | undefined>();
    for (let pulls = 0; pulls < 2; pulls += 1) {
      for await (const { changes } of harness.provider.events.pull(session, calendar, null)) {
        for (const change of changes) {
          if (change.kind !== 'event' || Buffer.from(change.event.providerEventId, 'base64url').toString() !== path)
            continue;
          const { providerTag, content } = change.event;
          expect(titles.get(providerTag) ?? content?.title, 'one tag, one text').toBe(content?.title);
          titles.set(providerTag, content?.title);
        }
      }
    }
    expect(asked).toBeGreaterThanOrEqual(2);
    expect([...titles.values()]).toContain('Later');
  } finally {
    await harness.close();
  }
});

import { readFileSync } from 'node:fs';
import { type ProviderWorld, providerConformance } from '@kalends/conformance';
import type { CalendarRef } from 'kalends/ports';
import { beforeAll, describe, expect, inject, it, test } from 'vitest';
import { failingAsKnown } from '../../adapters/caldav/test/failing-as-known.ts';
import { KNOWN_FAILURES } from './known-failures.ts';
import { primaryOf, signIn } from './provider-world.ts';

it('the table of docs/caldav.md says why each case fails that does', () => {
  const text = readFileSync(new URL('../../docs/caldav.md', import.meta.url), 'utf8');
  const said = Object.entries(KNOWN_FAILURES).flatMap(([name, cases]) =>
    Object.entries(cases).map(([title, { reason }]) => `| ${name} | ${title.split(':', 1)[0]} | ${reason} |`),
  );
  const written = text.split('\n').filter((line) => /^\| (?:radicale|xandikos|cyrus|davical|sogo) \|/.test(line));
  expect(written).toEqual([...new Set(said)]);
});

describe.each(inject('calendarServers'))('$name', (server) => {
  const hasPeople = server.alice.username !== server.bob.username;
  const schedules = hasPeople && server.name !== 'radicale';
  const failures = Object.fromEntries(
    Object.entries(KNOWN_FAILURES[server.name]).map(([name, { failure }]) => [name, failure]),
  );
  let inbox: CalendarRef | undefined;

  beforeAll(async () => {
    await primaryOf(server, server.alice);
    if (hasPeople) inbox = await primaryOf(server, server.bob);
  });

  providerConformance({
    test: failingAsKnown(schedules ? test : test.concurrent, failures),
    async createWorld(): Promise<ProviderWorld> {
      const { provider, session } = await signIn(server, server.alice);
      const calendar: CalendarRef = await provider.calendars.create(session, { name: 'Conformance' });
      const guest = schedules && inbox ? { ...(await signIn(server, server.bob)), calendar: inbox } : undefined;
      return {
        provider,
        session,
        calendar,
        ...(guest === undefined ? {} : { guest: { session: guest.session, calendar: guest.calendar } }),
        close: () => provider.calendars.delete(session, calendar.id),
      };
    },
  });
});

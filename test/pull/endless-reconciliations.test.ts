import type { EventPage, Provider, ProviderCalendar } from 'kalends/ports';
import { expect, test } from 'vitest';
import { fakeCalendar } from '../mirror/fake-provider.ts';
import { startVirtualWorker } from './virtual-worker.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PAGE_MS = 30_000;

type Pass = 'pages' | 'tags';
type SessionOf = { readonly accountId: string };
type CalendarOf = { readonly id: string };

/** A worker over accounts with calendars whose first pull ends; the reconciliations of those of `acc_e…` never do. */
async function workerOver(pass: Pass, calendars: Readonly<Record<string, readonly string[]>>) {
  const reconciled: string[] = [];
  const pulledOnce = new Set<string>();
  const worker = await startVirtualWorker(
    Object.keys(calendars),
    (clock) => {
      /** Ignores the session's signal. */
      async function* reconcile<Page>({ accountId }: SessionOf, { id }: CalendarOf, page: Page): AsyncGenerator<Page> {
        reconciled.push(id);
        while (accountId.startsWith('acc_e')) {
          await clock.sleep(PAGE_MS);
          yield page;
        }
      }
      const events = {
        async *pull(session: SessionOf, calendar: CalendarOf, token: unknown): AsyncGenerator<EventPage> {
          if (token === null && pulledOnce.has(calendar.id)) {
            yield* reconcile(session, calendar, { changes: [], full: true });
          }
          pulledOnce.add(calendar.id);
          yield { changes: [], full: token === null, nextToken: 'now' };
        },
        ...(pass === 'tags' ? { listTags: (...of: [SessionOf, CalendarOf]) => reconcile(...of, []) } : {}),
      };
      const pullList = async function* ({ accountId }: SessionOf) {
        const listed = (calendars[accountId] ?? []).map((id): ProviderCalendar => fakeCalendar(id));
        yield { changes: listed.map((calendar) => ({ kind: 'calendar', calendar })), full: true, nextToken: null };
      };
      return { calendars: { pull: pullList }, events } as unknown as Pick<Provider, 'calendars' | 'events'>;
    },
    { reconcileEveryMs: HOUR_MS },
  );
  await worker.pass(10_000);
  /** Has the calendar pulled, after which its reconciliation begins where it is due. */
  const poll = async (accountId: string, calendarId: string) => {
    await worker.dueNow(accountId, calendarId);
    await worker.pass(10_000);
  };
  for (const [accountId, ids] of Object.entries(calendars)) for (const id of ids) await poll(accountId, id);
  await worker.pass(HOUR_MS);
  return { ...worker, poll, reconciled };
}

test.each<Pass>([
  'pages',
  'tags',
])('reconciliations without end, of %s, leave their places to others, and their account gets none for a day', {
  timeout: 60_000,
}, async (kind) => {
  const { poll, pass, reconciled } = await workerOver(kind, { acc_e0: ['a', 'b', 'c'], acc_s0: ['sound'] });
  await poll('acc_e0', 'a');
  await poll('acc_e0', 'b');
  await pass(HOUR_MS - 60_000);
  await poll('acc_s0', 'sound');
  expect(reconciled).toEqual(['a', 'b']);
  await pass(120_000);
  // One of them gives its place up, and has it with the next page.
  await poll('acc_s0', 'sound');
  await pass(PAGE_MS);
  await poll('acc_e0', 'c');
  await poll('acc_s0', 'sound');
  expect(reconciled).toEqual(['a', 'b', 'sound']);
  await pass(DAY_MS - 2 * HOUR_MS);
  await poll('acc_e0', 'c');
  expect(reconciled).toEqual(['a', 'b', 'sound']);
  await pass(2 * HOUR_MS);
  await poll('acc_e0', 'c');
  expect(reconciled).toEqual(['a', 'b', 'sound', 'c']);
});

test('a reconciliation of many hours goes on while others have a place', { timeout: 60_000 }, async () => {
  const { poll, pass, reconciled } = await workerOver('pages', { acc_e0: ['a'], acc_s0: ['sound'] });
  await poll('acc_e0', 'a');
  for (let hours = 0; hours < 5; hours += 1) {
    await pass(HOUR_MS);
    await poll('acc_s0', 'sound');
    await poll('acc_e0', 'a');
  }
  expect(reconciled).toEqual(['a', 'sound', 'sound', 'sound', 'sound', 'sound']);
});

test('a reconciliation of many hours is not ended by the polls of its own calendar', { timeout: 60_000 }, async () => {
  const { poll, pass, reconciled } = await workerOver('pages', { acc_e0: ['a'], acc_e1: ['b'], acc_s0: ['sound'] });
  await poll('acc_e0', 'a');
  await poll('acc_e1', 'b');
  for (let hours = 0; hours < 30; hours += 1) {
    await pass(HOUR_MS);
    await poll('acc_e0', 'a');
    await poll('acc_e1', 'b');
  }
  expect(reconciled).toEqual(['a', 'b']);
});

import { expect, onTestFinished, test } from 'vitest';
import { ADA, exceptionsIn, failureOf, primaryOf, pullAll, startHarness } from '../harness.ts';

const SECOND = 'abcde_R20260316T090000';
const STUB = 'abcde_20260330T090000Z';
const calendar = primaryOf(ADA);
const at = (day: string, hour = 9) => ({ dateTime: `2026-03-${day}T0${hour}:00:00Z`, timeZone: 'UTC' });

/** Google, where the stub of an instance in a list has its id alone, and a read of it tells `more` or answers a status. */
async function start(more: object | number) {
  const harness = await startHarness({
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      if (!String(input).includes(`/events/${STUB}`)) return answer;
      return typeof more === 'number'
        ? Response.json({ error: { code: more, message: 'No' } }, { status: more })
        : Response.json({ ...((await answer.json()) as object), ...more });
    },
  });
  onTestFinished(() => harness.close());
  const plant = (event: object) => harness.sandbox.google.controls['plantEvent']?.({ calendarId: ADA, event });
  const iCalUID = `${SECOND}@google.com`;
  plant({ id: 'abcde', start: at('02'), end: at('02', 8), recurrence: ['RRULE:FREQ=WEEKLY;UNTIL=20260315T235959Z'] });
  plant({ id: SECOND, iCalUID, start: at('16'), end: at('16', 8), recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'] });
  plant({ id: STUB, iCalUID, status: 'cancelled' });
  const session = harness.sessionOf(ADA);
  return {
    async pulledSeries() {
      const { changes } = await pullAll(harness.provider.events.pull(session, calendar, null));
      return changes.flatMap((change) =>
        change.kind === 'event' && change.event.isCancelled ? [change.event.seriesId] : [],
      );
    },
    exceptions: async () => exceptionsIn(await harness.provider.events.get(session, calendar, SECOND)),
  };
}

test('an instance with an id alone is read again: after a split at Google its id begins with that of the first half', async () => {
  const google = await start({ recurringEventId: SECOND, originalStartTime: at('30') });
  expect(await google.pulledSeries()).toEqual([SECOND]);
  expect(await google.exceptions()).toMatchObject([
    { providerEventId: STUB, isCancelled: true, recurrenceId: { kind: 'instant', startMs: Date.UTC(2026, 2, 30, 9) } },
  ]);
});

test.each([
  ['tells no more', {}],
  ['finds nothing', 404],
  ['is refused', 403],
  ['is called invalid', 400],
])('where the read %s, the id tells the series', async (_name, more) => {
  const google = await start(more);
  expect(await google.pulledSeries()).toEqual(['abcde']);
});

test('where Google is away, the pull fails and leaves the instance to the next one', async () => {
  const google = await start(503);
  expect(await failureOf(google.pulledSeries())).toMatchObject({ reason: 'unavailable' });
});

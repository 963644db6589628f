import type { ProviderEvent } from 'kalends/ports';
import { expect, test } from 'vitest';
import { exceptionsIn, newRequestId, slotOf } from '../harness.ts';
import { calendar, DAY, meeting, NINE, writingStage } from './writing-stage.ts';

const stage = writingStage();
const { ada, createSeries, events } = stage;

/** The next write takes place, and its answer is lost: the transport sends it again. */
function loseAnswer(method: string): void {
  stage.harness.sandbox.faults.arm({
    provider: 'google',
    method,
    path: '.*/events.*',
    kind: 'answer-after',
    status: 503,
    times: 1,
  });
}

type Change = (json: Record<string, unknown>) => Record<string, unknown>;

/** Google, whose answers to GET requests of a path are changed. */
function changing(path: RegExp, change: Change): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    const isMeant = (init?.method ?? 'GET') === 'GET' && path.test(String(input));
    return isMeant ? Response.json(change((await answer.json()) as Record<string, unknown>)) : answer;
  };
}

/** Google, which makes a meeting only after so many reads of its event. */
function slowMeetings(reads: number): typeof fetch {
  let left = reads;
  return changing(/\/events\/kal/, (event) => {
    left -= 1;
    const { createRequest } = event['conferenceData'] as { createRequest: object };
    const pending = { createRequest: { ...createRequest, status: { statusCode: 'pending' } } };
    return left < 0 ? event : { ...event, conferenceData: pending, hangoutLink: undefined };
  });
}

test.each([
  ['made soon is waited for', 1, ['event']],
  ['still pending is read again later', 99, ['event', 'reread']],
])('a meeting %s where the answer to its insertion is lost', async (_name, reads, kinds) => {
  await stage.restart({ fetch: slowMeetings(reads) });
  loseAnswer('POST');
  const input = { ...meeting, generateMeetingUrlProvider: 'hangoutsMeet' };
  const answer = await events().create(ada(), calendar, input, { requestId: newRequestId() });
  expect(answer.map(({ kind }) => kind)).toEqual(kinds);
  const [made] = answer;
  const { conferenceData } = made?.kind === 'event' ? (made.event.content ?? {}) : {};
  expect(conferenceData?.joinUrl !== undefined).toBe(kinds.length === 1);
});

test('a series behind a lost answer is read with the exceptions that it has by now', async () => {
  const requestId = newRequestId();
  const input = { ...meeting, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] };
  const [made] = await events().create(ada(), calendar, input, { requestId });
  const { master } = made as { master: ProviderEvent };
  await events().delete(ada(), calendar, slotOf(master, NINE + DAY), {});
  expect(exceptionsIn(await events().create(ada(), calendar, input, { requestId }))).toHaveLength(1);
});

test('a cancelled occurrence is answered as cancelled where the answer is lost and lists are late', async () => {
  const isStub = ({ status }: { status: string }) => status === 'cancelled';
  const late: Change = (list) => ({
    ...list,
    items: (list['items'] as { status: string }[]).filter((item) => !isStub(item)),
  });
  await stage.restart({ fetch: changing(/iCalUID=/, late) });
  const series = await createSeries();
  loseAnswer('DELETE');
  const answer = await events().delete(ada(), calendar, slotOf(series, NINE + DAY), {});
  expect(exceptionsIn(answer)).toMatchObject([
    { isCancelled: true, recurrenceId: { kind: 'instant', startMs: NINE + DAY } },
  ]);
});

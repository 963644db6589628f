import type { NewEvent, ProviderEvent } from 'kalends/ports';
import { afterEach, beforeEach } from 'vitest';
import { ADA, type Harness, newRequestId, primaryOf, single, startHarness } from '../harness.ts';

export const calendar = primaryOf(ADA);
export const at = (dateTime: string, timeZone = 'Europe/London') => ({ dateTime, timeZone });
/** When the meeting starts. */
export const NINE = Date.UTC(2026, 2, 2, 9);
export const DAY = 86_400_000;

export const meeting: NewEvent = {
  title: 'Planning',
  start: at('2026-03-02T09:00:00+00:00'),
  end: at('2026-03-02T10:00:00+00:00'),
};

/** The stage on which the tests of a file write: the provider over a sandbox of each test's own. */
export function writingStage() {
  let harness: Harness;

  beforeEach(async () => {
    harness = await startHarness();
  });

  afterEach(() => harness.close());

  const events = () => harness.provider.events;
  const ada = () => harness.sessionOf(ADA);

  async function create(input: NewEvent): Promise<ProviderEvent> {
    return single(await events().create(ada(), calendar, input, { requestId: newRequestId() }));
  }

  async function createSeries(extra: Partial<NewEvent> = {}): Promise<ProviderEvent> {
    return create({ ...meeting, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'], ...extra });
  }

  return {
    get harness() {
      return harness;
    },
    /** Begins anew, with these options of the provider. */
    async restart(options: Parameters<typeof startHarness>[0]): Promise<void> {
      await harness.close();
      harness = await startHarness(options);
    },
    events,
    ada,
    create,
    createSeries,
  };
}

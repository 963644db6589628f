import { afterEach, beforeEach } from 'vitest';
import { createScopedWorld, type ScopedWorld } from '../events/series-edit/scoped-world.ts';
import type { Json } from '../interface/world.ts';

const EMAIL = 'person1@microsoft.example';
const WINDOW = 'startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-06-15T00:00:00Z';

/** Gives each test of a file a mailbox of Microsoft whose owner works in Outlook too: `graph` is what Outlook asks for. */
export function useOutlook() {
  let world: ScopedWorld;
  beforeEach(async () => {
    world = await createScopedWorld('microsoft');
  });
  afterEach(() => world.close());

  const graph = (method: string, path: string, body?: unknown): Promise<Json> =>
    world.world.atProvider('microsoft', EMAIL, method, `/me/events${path}`, body);
  return {
    put: (...given: Parameters<ScopedWorld['put']>) => world.put(...given),
    get: (...given: Parameters<ScopedWorld['get']>) => world.get(...given),
    expectSynced: () => world.expectSynced(),
    graph,
    /** Occurrences of spring 2026 as Outlook shows them. */
    instances: async (id: string): Promise<readonly Json[]> => (await graph('GET', `/${id}/instances?${WINDOW}`)).value,
    /** Creates a series of five Mondays from April 6th, at nine for an hour; returns its id. */
    weekly: async (fields: object): Promise<string> => {
      const { id } = await graph('POST', '', {
        subject: 'Weekly',
        start: { dateTime: '2026-04-06T09:00:00', timeZone: 'UTC' },
        end: { dateTime: '2026-04-06T10:00:00', timeZone: 'UTC' },
        recurrence: {
          pattern: { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'sunday' },
          range: { type: 'numbered', startDate: '2026-04-06', numberOfOccurrences: 5, recurrenceTimeZone: 'UTC' },
        },
        ...fields,
      });
      return id;
    },
  };
}

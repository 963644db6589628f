import type { Client } from '@kalends/client';
import type { Engine } from 'kalends';
import type { CalendarEvent, DeletedEvent, EventListQuery } from 'kalends/model';
import { describe, expectTypeOf, it } from 'vitest';

/* The compiler checks these when the tests are type-checked; nothing runs. */

type EngineList = Engine['events']['list'];
type ClientList = Client['events']['list'];
declare const engineList: EngineList;
declare const clientList: ClientList;
const caller = { applicationId: 'app_1' };

describe('a list of events', () => {
  it('has deleted events only with a sync token', () => {
    const present = () => engineList(caller, 'acc_1', 'c', { limit: 10 });
    expectTypeOf<Awaited<ReturnType<typeof present>>['data']>().toEqualTypeOf<readonly CalendarEvent[]>();
    const changed = () => engineList(caller, 'acc_1', 'c', { syncToken: 't' });
    expectTypeOf<Awaited<ReturnType<typeof changed>>['data'][number]>().toEqualTypeOf<CalendarEvent | DeletedEvent>();

    const listed = () => clientList('acc_1', 'c', { limit: 10 }).page();
    expectTypeOf<Awaited<ReturnType<typeof listed>>['data'][number]>().toEqualTypeOf<CalendarEvent>();
    const synced = () => clientList('acc_1', 'c', { syncToken: 't' }).page();
    expectTypeOf<Awaited<ReturnType<typeof synced>>['data'][number]>().toEqualTypeOf<CalendarEvent | DeletedEvent>();
  });

  it('needs a window when it is expanded', () => {
    expectTypeOf({ expandRecurrences: true } as const).not.toExtend<EventListQuery>();
    expectTypeOf({ expandRecurrences: 'true', startDateTime: '2026-03-01' } as const).not.toExtend<EventListQuery>();
    const window = { startDateTime: '2026-03-01', endDateTime: '2026-03-08' };
    expectTypeOf({ expandRecurrences: true, ...window } as const).toExtend<EventListQuery>();
    expectTypeOf({ expandRecurrences: true, syncToken: 't' } as const).toExtend<EventListQuery>();
    expectTypeOf({ expandRecurrences: false } as const).toExtend<EventListQuery>();
  });
});

describe('a write', () => {
  it('knows its fields', () => {
    expectTypeOf<Parameters<Engine['events']['create']>[3]['title']>().toEqualTypeOf<string>();
    expectTypeOf({ title: 7 }).not.toExtend<Parameters<Engine['events']['update']>[4]>();
  });
});

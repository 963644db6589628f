import type { EventListQuery } from 'kalends/model';
import type { Dice } from './dice.ts';
import { EDIT_KINDS, type Edit, FIRST_DAY } from './edit.ts';
import { readWhole } from './mirrored.ts';
import { inBackground, through } from './processes.ts';
import { addressOf, note, type Simulation } from './simulation-state.ts';

const DAY_MS = 86_400_000;

export function randomEdit(source: Dice, title: string): Edit {
  const kinds = source.chance(0.3) ? (['single', 'series'] as const) : EDIT_KINDS;
  return {
    kind: source.pick(kinds),
    pick: source.below(100),
    slot: source.below(100),
    // Now and then beyond what Graph's feed covers.
    day: source.chance(0.06) ? source.between(760, 1000) : source.below(40),
    hour: source.between(7, 20),
    isAllDay: source.chance(0.25),
    rule: {
      frequency: source.pick(['DAILY', 'WEEKLY']),
      interval: source.between(1, 2),
      count: source.between(2, 6),
    },
    title,
  };
}

export async function edit(simulation: Simulation): Promise<void> {
  const { world, dice: source, history } = simulation;
  const change = randomEdit(source, `t${history.length}`);
  const calendar = source.chance(0.7) ? 0 : 1;
  const isDone = await world.person.edit(change, calendar).catch((error: unknown) => {
    // The provider refused it: nothing has changed.
    note(simulation, `${error}`.slice(0, 200));
    return false;
  });
  if (isDone) note(simulation, `at the provider, calendar ${calendar}: ${JSON.stringify(change)}`);
}

/** A change through the interface, which races with whatever else is going on. */
export function ownWrite(simulation: Simulation, wanted?: 'create'): void {
  const { world, dice: source, history } = simulation;
  const at = addressOf(simulation, source.chance(0.7) ? 0 : 1);
  const { caller, accountId, calendarId } = at;
  const kind = wanted ?? source.pick(['create', 'update', 'update', 'update', 'delete']);
  const title = `own${history.length}`;
  const day = String(source.between(3, 28)).padStart(2, '0');
  const hour = String(source.between(7, 20)).padStart(2, '0');
  const chosen = source.below(100);
  const start = { dateTime: `2026-03-${day}T${hour}:00:00`, timeZone: 'Europe/Berlin' };
  note(simulation, `own ${kind} ${title}`);
  inBackground(simulation, `own ${kind} ${title}`, async ({ engine }) => {
    if (kind === 'create') return await engine.events.create(caller, accountId, calendarId, { title, start });
    const { data } = await engine.events.list(caller, accountId, calendarId, { isCancelled: 'false' });
    const event = data[chosen % Math.max(1, data.length)];
    if (event === undefined) return undefined;
    if (kind === 'delete') world.person.shake(event.id);
    if (kind === 'delete') return await engine.events.delete(caller, accountId, calendarId, event.id);
    return await engine.events.update(caller, accountId, calendarId, event.id, { title });
  });
}

export function follow(simulation: Simulation): void {
  const { dice: source, followers, syncing } = simulation;
  const chosen = source.pick(followers);
  const limit = source.pick(['1', '2', '5', '50']);
  // A client applies one result after the other.
  if (syncing.has(chosen.follower)) return;
  const address = addressOf(simulation, chosen.calendar);
  const { follower: client } = chosen;
  inBackground(simulation, 'sync', async (slot) => {
    syncing.add(client);
    try {
      // A client that never learns the end of a result begins again from the token it has.
      client.apply(await through(slot, readWhole(slot.engine, address, { ...client.next(), limit })));
    } finally {
      syncing.delete(client);
    }
  });
}

export function randomQuery(source: Dice): EventListQuery {
  const from = FIRST_DAY + source.between(-5, 25) * DAY_MS;
  const window = {
    startDateTime: new Date(from).toISOString(),
    endDateTime: new Date(from + source.between(3, 60) * DAY_MS).toISOString(),
  };
  if (source.chance(0.6)) return { ...window, expandRecurrences: 'true' };
  return source.chance(0.5) ? {} : { ...window, ...(source.chance(0.5) ? { isAllDay: 'false' } : {}) };
}

/** The person and our own callers change one event at the same time. */
export async function clash(simulation: Simulation): Promise<void> {
  const { world, dice: source, history } = simulation;
  const ids = await world.person.ids(0);
  const pick = source.below(Math.max(1, ids.length));
  const id = ids[pick];
  if (id === undefined) return;
  note(simulation, `clash over ${id}`);
  const { caller, accountId, calendarId } = addressOf(simulation, 0);
  for (let round = source.between(1, 3); round > 0; round--) {
    const title = `own${history.length}`;
    inBackground(simulation, `own update ${title} of ${id}`, ({ engine }) =>
      engine.events.update(caller, accountId, calendarId, id, { title }),
    );
    if (source.chance(0.7)) await whenHeard(simulation, title);
    const change = { ...randomEdit(source, `t${history.length}`), kind: 'retitle', pick } as const;
    if (source.chance(0.8)) {
      await world.person.edit(change, 0);
      note(simulation, `at the provider: ${change.title} of ${id}`);
    }
    await world.time.pass(source.pick([0, 2, 10, 50, 200, 1_000]));
    await simulation.reader.step(simulation);
  }
}

/** Waits until the provider has carried out the write of this title; its answer may be on the way for long. */
async function whenHeard({ world }: Simulation, title: string): Promise<void> {
  for (let tries = 200; tries > 0 && !world.titles.has(title); tries--) await world.time.pass(20);
}

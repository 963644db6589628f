import { type HoldRow, KalendsError } from 'kalends/ports';
import { type BookingLedger, type Customer, HOUR_MS, type Participant, slotOf } from './booking-ledger.ts';
import { DAY_MS, FIRST_DAY } from './edit.ts';
import type { Lines } from './provider-acts.ts';
import { callerOf, note, type Simulation } from './simulation-state.ts';

/** Longer than any hold, and than the time that a booking takes its slot besides. */
const OVER_MS = 660_000;
/** Retries of what could not be removed come at longer and longer intervals. */
const LONGEST_REMOVAL_MS = 6 * HOUR_MS;

/** An event of a booking as the row has it. */
interface Booked {
  readonly customer: Customer;
  readonly accountId: string;
  readonly startMs: number;
}

/** State of holds and events at one time. */
interface Findings {
  readonly wrong: readonly string[];
  /** Events of bookings that stand where they were written. */
  readonly standing: readonly Booked[];
}

/** Waits until no hold has work left, and notes what is wrong then. */
export async function settleBookings(
  simulation: Simulation,
  ledger: BookingLedger,
  people: readonly Participant[],
): Promise<void> {
  const { world, failures } = simulation;
  let waitedMs = 0;
  for (;;) {
    await world.time.pass(OVER_MS);
    waitedMs += OVER_MS;
    const { wrong, standing } = await findingsOf(simulation, ledger, people);
    if (wrong.length > 0 && waitedMs <= LONGEST_REMOVAL_MS) continue;
    failures.push(...wrong, ...doublesOf(standing));
    note(simulation, `${ledger.names.length} holds were asked for, ${standing.length} events of bookings stand`);
    await askAgain(simulation, standing);
    return;
  }
}

async function findingsOf(
  { world, storage, habits }: Simulation,
  { customers, names }: BookingLedger,
  people: readonly Participant[],
): Promise<Findings> {
  const { applicationId } = world;
  const wrong: string[] = [];
  const standing: Booked[] = [];
  const due = await storage.holds.listDue(10);
  if (due.length > 0) wrong.push(`holds have work left: ${JSON.stringify(due)}`);
  const accountIds = people.map(({ accountId }) => accountId);
  const ever = { startMs: 0, endMs: FIRST_DAY + 1_000 * DAY_MS };
  const taken = await storage.holds.listTaken(applicationId, accountIds, ever);
  if (taken.length > 0) wrong.push(`slots stay taken: ${JSON.stringify(taken)}`);
  const shown = new Map<string, Lines>();
  for (const { accountId, person } of people) shown.set(accountId, await linesOf(person));

  for (const name of names) {
    const customer = customers.find((each) => each.name === name);
    const row = customer && (await storage.holds.find(applicationId, customer.hold.id));
    if (customer !== undefined) wrong.push(...brokenPromises(customer, row));
    for (const { accountId, person } of people) {
      const lines = shown.get(accountId)!;
      const index = row?.participants.findIndex((each) => each.accountId === accountId) ?? -1;
      const reach = row?.state === 'booked' && row.writeTo !== null ? reachOf(row.writeTo, row) : 0;
      const isInvited = customer !== undefined && customer.writeTo === 'organizer' && index > 0;
      const events = lines.filter((line) => line.includes(` | ${name} | `)).length;
      const most = index >= 0 && (index < reach || isInvited) ? 1 : 0;
      // An event that a person moves to another calendar is theirs.
      if (events > most && !person.isShaken(name)) {
        wrong.push(`${name} has ${events} events at ${person.email}, of a hold that is ${row?.state ?? 'gone'}`);
      }
      if (customer === undefined || row === undefined || index < 0 || index >= reach) continue;
      const { eventId } = row.participants[index]!;
      if (eventId === null) wrong.push(`${name} is booked without an event of ${person.email}`);
      if (eventId === null || person.isShaken(eventId) || habits.unreadable?.everIds.has(eventId) === true) continue;
      const times = `${new Date(row.startMs).toISOString()} | ${new Date(row.endMs).toISOString()}`;
      const isThere = lines.some((line) => line.startsWith(`${eventId} | `) && line.endsWith(times));
      if (isThere) standing.push({ customer, accountId, startMs: row.startMs });
      else wrong.push(`${name} is booked at ${times}, where ${person.email} has no event ${eventId}`);
    }
  }
  return { wrong, standing };
}

const reachOf = (writeTo: 'organizer' | 'each', { participants }: HoldRow) =>
  writeTo === 'each' ? participants.length : 1;

/** Promises of answers that the row does not keep. */
function brokenPromises({ name, token, starts, end }: Customer, row: HoldRow | undefined): readonly string[] {
  if (end === 'answered') return row === undefined ? [] : [`${name} was ended and is ${row.state}`];
  if (token === undefined || (end === 'asked' && row === undefined)) return [];
  if (row?.state !== 'booked') return [`${name} was confirmed and is ${row?.state ?? 'gone'}`];
  return starts.includes(row.startMs) ? [] : [`${name} was to begin at ${starts} and begins at ${row.startMs}`];
}

/** Bookings of one person at one time. */
function doublesOf(standing: readonly Booked[]): readonly string[] {
  return standing.flatMap((one, index) =>
    standing
      .slice(index + 1)
      .filter(({ accountId, startMs }) => accountId === one.accountId && Math.abs(startMs - one.startMs) < HOUR_MS)
      .map(({ customer }) => `${one.customer.name} and ${customer.name} are booked at one time`),
  );
}

/** The time of a booking is asked for once more: no new hold gets it. */
async function askAgain(simulation: Simulation, standing: readonly Booked[]): Promise<void> {
  const { world, slots, failures } = simulation;
  const { engine } = slots[0]!;
  for (const { customer, accountId, startMs } of standing.slice(0, 2)) {
    // The others may have deleted their own events of this booking.
    const owners = customer.participants.filter((each) => each.accountId === accountId);
    const participants = owners.map(({ person }) => ({
      endUserAccountId: accountId,
      calendarIds: [...person.calendarIds],
    }));
    const asked = engine.holds.create(callerOf(simulation), { participants, ...slotOf(startMs) }).then(
      () => 'a hold',
      (error: unknown) => (KalendsError.isInstance(error) ? error.code : String(error)),
    );
    const answer = await world.time.until(asked);
    if (answer !== 'SlotTaken') failures.push(`the time of ${customer.name} was asked for: ${answer}`);
  }
}

async function linesOf(person: Participant['person']): Promise<Lines> {
  const [from, to] = [FIRST_DAY - 30 * DAY_MS, FIRST_DAY + 90 * DAY_MS];
  return [...(await person.occurrences(0, from, to)), ...(await person.occurrences(1, from, to))];
}

import type { Engine } from 'kalends';
import { KalendsError } from 'kalends/ports';
import {
  type BookingLedger,
  type Customer,
  createBookingLedger,
  HOUR_MS,
  type Participant,
  slotOf,
} from './booking-ledger.ts';
import { settleBookings } from './booking-verdict.ts';
import { type Dice, dice } from './dice.ts';
import { DAY_MS, FIRST_DAY } from './edit.ts';
import { HOLD_AWAITS } from './faults.ts';
import { createPerson } from './person.ts';
import { inBackground } from './processes.ts';
import { callerOf, type Simulation } from './simulation-state.ts';
import { connectAccount } from './world.ts';

/** A booking takes its slot for at least so long. */
const SETTLING_MS = 600_000;
/** Histories with bookings. */
const SHARE = 0.3;
/** Added to seeds, for dice that no other part throws. */
const DICE = 1_500_000_001;

/**
 * Callers who hold slots of the person, of a colleague, or of both, and confirm, move and cancel. They have dice of their own: a history
 * without them is the same as if there were none.
 */
export interface Bookings {
  /** Connects the colleague's account. */
  begin(simulation: Simulation): Promise<void>;
  /** Once for each step of the storm. */
  step(simulation: Simulation): void;
  /** Waits until no hold has work left, and notes what is wrong then. */
  settle(simulation: Simulation): Promise<void>;
}

export function createBookings(seed: number): Bookings {
  const source = dice(seed + DICE);
  if (!source.chance(SHARE)) {
    return { begin: async () => undefined, step: () => undefined, settle: async () => undefined };
  }
  const ledger = createBookingLedger();
  const people: Participant[] = [];
  return {
    async begin(simulation) {
      const { world } = simulation;
      const { accountId, person } = world;
      people.push({ accountId, person }, await connectColleague(simulation));
    },

    step(simulation) {
      const roll = source.split();
      if (roll.chance(0.4)) layAmbush(simulation, roll.split());
      const { customers } = ledger;
      const ready = customers.filter(({ isBusy, end }) => !isBusy && end === 'none');
      const customer = ready.length === 0 || roll.chance(0.4) ? undefined : roll.pick(ready);
      if (customer === undefined) return take(simulation, ledger, people, roll);
      const { token } = customer;
      if (token === undefined)
        return roll.chance(0.85) ? confirm(simulation, ledger, customer) : release(simulation, customer);
      if (roll.chance(0.2)) return confirm(simulation, ledger, customer);
      if (roll.chance(0.6)) {
        const other = randomStart(roll);
        const { unanswered } = customer;
        // Callers send a move again to which they got no answer, or an unclear one.
        const startMs = unanswered !== undefined && roll.chance(0.7) ? unanswered : other;
        return move(simulation, ledger, { customer, token, startMs });
      }
      cancel(simulation, customer, token);
    },

    settle: (simulation) => settleBookings(simulation, ledger, people),
  };
}

async function connectColleague({ world, slots }: Simulation): Promise<Participant> {
  const { sandbox, provider, applicationId, time } = world;
  const person = await createPerson(world, `colleague@${provider}.example`);
  const { engine } = slots[0]!;
  const order = { provider, applicationId, email: person.email };
  const { id: accountId } = await time.until(time.hold(() => connectAccount(engine, sandbox, order)));
  return { accountId, person };
}

function layAmbush({ ambushes }: Simulation, roll: Dice): void {
  const kind = roll.pick([...HOLD_AWAITS, 'fetch DELETE']);
  // Longer than the lease of a move.
  const fate = roll.chance(0.25) ? { pausesMs: roll.between(100_000, 400_000) } : 'dies';
  ambushes.push({ kind, moment: roll.pick(['before', 'after']), fate, left: roll.pick([0, 0, 1, 2]) });
}

function take(simulation: Simulation, ledger: BookingLedger, people: readonly Participant[], roll: Dice): void {
  const { world, faults } = simulation;
  const name = `booked-${ledger.names.length}`;
  ledger.names.push(name);
  const startMs = randomStart(roll);
  const [person, colleague] = people as [Participant, Participant];
  const participants = roll.pick([
    [person],
    [person, colleague],
    [person, colleague],
    [colleague, person],
    [colleague],
  ]);
  // The person edits what is in the person's calendars and may not edit an event of another organizer.
  const writeTo = participants[1] === person ? 'each' : roll.pick(['organizer', 'each'] as const);
  const tentative = roll.pick([undefined, undefined, 'organizer', 'each'] as const);
  const expiresInSeconds = roll.between(10, 600);
  const body = {
    participants: participants.map((each) => ({
      endUserAccountId: each.accountId,
      calendarIds: [...each.person.calendarIds],
    })),
    ...slotOf(startMs),
    expiresInSeconds,
    ...(tentative === undefined ? {} : { tentativeEvent: { writeTo: tentative, title: name } }),
  };
  const untilMs = world.time.now() + expiresInSeconds * 1_000;
  inBackground(simulation, `hold ${name}`, async ({ engine }) => {
    const hold = await engine.holds.create(callerOf(simulation), body).catch((error: unknown) => {
      if (KalendsError.isInstance(error) && error.code === 'SlotTaken') faults.count('slot taken');
      throw error;
    });
    faults.count('hold taken');
    const accountIds = participants.map((each) => each.accountId);
    const claim = ledger.claim(simulation, { name, accountIds, startMs, untilMs });
    const fresh = {
      confirmedAt: undefined,
      token: undefined,
      unanswered: undefined,
      end: 'none',
      isBusy: false,
    } as const;
    ledger.customers.push({ name, participants, tentative, writeTo, hold, claim, starts: [startMs], ...fresh });
  });
}

function confirm(simulation: Simulation, ledger: BookingLedger, customer: Customer): void {
  const { world, faults } = simulation;
  const { name, hold, writeTo, claim } = customer;
  if (customer.token === undefined) claim.isOver = true;
  customer.confirmedAt ??= world.time.now();
  const untilMs = customer.confirmedAt + SETTLING_MS;
  inBackground(simulation, `confirm ${name}`, async ({ engine }) => {
    const { token } = await engine.holds.confirm(callerOf(simulation), hold.id, { event: { title: name }, writeTo });
    faults.count(customer.token === undefined ? 'hold confirmed' : 'confirmation repeated');
    // A repetition answers a booking that may have moved since.
    if (customer.token !== undefined) return;
    customer.token = token;
    customer.claim = ledger.claim(simulation, { ...claim, untilMs });
  });
}

/** An act that ends the present claim, the only one of its customer at a time. */
function change(
  simulation: Simulation,
  customer: Customer,
  { kind, act }: { readonly kind: string; readonly act: (engine: Engine) => Promise<unknown> },
): void {
  customer.claim.isOver = true;
  customer.isBusy = true;
  inBackground(simulation, `${kind} ${customer.name}`, async ({ engine, process }) => {
    let isUnderWay = true;
    const end = () => {
      if (isUnderWay) customer.isBusy = false;
      isUnderWay = false;
    };
    // The caller of a process that dies gives up after a while, and asks another one.
    void process.death.then(end);
    try {
      await act(engine);
    } finally {
      end();
    }
  });
}

function release(simulation: Simulation, customer: Customer): void {
  const { hold } = customer;
  const act = async ({ holds }: Engine) => {
    await holds.delete(callerOf(simulation), hold.id);
    simulation.faults.count('hold released');
    customer.end = 'answered';
  };
  change(simulation, customer, { kind: 'release', act });
}

function move(
  simulation: Simulation,
  ledger: BookingLedger,
  { customer, token, startMs }: { readonly customer: Customer; readonly token: string; readonly startMs: number },
): void {
  const untilMs = simulation.world.time.now() + SETTLING_MS;
  customer.starts = [...customer.starts, startMs];
  customer.unanswered = startMs;
  const act = async ({ bookings }: Engine) => {
    await bookings.move(callerOf(simulation), token, slotOf(startMs));
    simulation.faults.count('booking moved');
    customer.starts = [startMs];
    customer.unanswered = undefined;
    customer.claim = ledger.claim(simulation, { ...customer.claim, startMs, untilMs });
  };
  change(simulation, customer, { kind: 'move', act });
}

function cancel(simulation: Simulation, customer: Customer, token: string): void {
  customer.end = 'asked';
  const act = async ({ bookings }: Engine) => {
    await bookings.cancel(callerOf(simulation), token);
    simulation.faults.count('booking cancelled');
    customer.end = 'answered';
  };
  change(simulation, customer, { kind: 'cancel', act });
}

/** Whole hours and halves, so that slots overlap now and then. */
function randomStart(roll: Dice): number {
  return FIRST_DAY + roll.between(2, 4) * DAY_MS + roll.between(14, 24) * (HOUR_MS / 2);
}

import type { Engine } from 'kalends';
import type { EventListQuery } from 'kalends/model';
import { type Fetch, KalendsError, type Storage } from 'kalends/ports';
import { type Dice, dice } from './dice.ts';
import { type CalendarAddress, type Follower, follower, linesOf, readWhole } from './mirrored.ts';
import { unreliableNetwork } from './network.ts';
import { EDIT_KINDS, type Edit, FIRST_DAY, type ProviderName } from './person.ts';
import { type AwaitKind, type Fate, type Moment, type Process, startProcess } from './process.ts';
import { type Tally, tally } from './tally.ts';
import { witness } from './witness.ts';
import { createSimulatedWorld, engineOn, type SimulatedWorld } from './world.ts';

/** Ways to break the product from outside, for proving that the simulation would notice. */
export interface Tampering {
  readonly storage?: (storage: Storage) => Storage;
  readonly fetch?: (fetch: Fetch) => Fetch;
}

export interface SimulationOptions {
  readonly provider: ProviderName;
  readonly seed: number;
  readonly tampering?: Tampering;
}

export interface SimulationResult {
  /** What is wrong, empty when everything holds. */
  readonly failures: readonly string[];
  /** What happened, one line each. */
  readonly history: readonly string[];
  /** Faults that fired, by kind. */
  readonly faults: Tally;
  /** Kills by the await that they hit. */
  readonly kills: Tally;
}

/** Awaits at which processes are killed, each before and after. */
export const KILLED_AWAITS: readonly AwaitKind[] = [
  'accounts.find',
  'accounts.findCredential',
  'accounts.replaceTokens',
  'channels.claimRenewals',
  'channels.list',
  'fetch GET',
  'fetch PATCH',
  'fetch POST',
  'fetch token',
  'leases.claim',
  'leases.release',
  'mirror.commit',
  'mirror.endSweep',
  'mirror.find',
  'mirror.findItem',
  'mirror.findProviderToken',
  'mirror.listRereads',
  'mirror.listUnseen',
  'mirror.readGroups',
  'mirror.startSweep',
  'schedule.claimDueAccount',
  'schedule.finish',
  'schedule.get',
  'schedule.hint',
  'sleep',
];

/** Faults of the provider and of processes, beside those of single requests. */
export const EVENT_FAULTS = [
  'push dropped',
  'push doubled',
  'push held back',
  'sync tokens expired',
  'access tokens expired',
  'push channels expired',
  'process paused',
  'process killed',
] as const;

const PROCESSES = 2;
const DAY_MS = 86_400_000;
/** What the final comparison looks at. */
const FROM = FIRST_DAY - 30 * DAY_MS;
const TO = FIRST_DAY + 1100 * DAY_MS;
/** Everything has been made up for within this, or never will be. */
const LONGEST_CALM_MS = 4 * 3_600_000;

/** Answers that a caller has to live with while things go wrong. */
const EXPECTED_ERRORS = [
  'CalendarSyncing',
  'Conflict',
  'Forbidden',
  'InvalidRequest',
  'NotFound',
  'PreconditionFailed',
  'ProviderError',
  'ProviderTimeout',
  'ProviderUnavailable',
  'RateLimited',
  'UnsupportedByProvider',
];

interface Slot {
  process: Process;
  engine: Engine;
}

interface Ambush {
  readonly kind: AwaitKind;
  readonly moment: Moment;
  readonly fate: Exclude<Fate, 'goes on'>;
  left: number;
}

interface Simulation {
  readonly seed: number;
  readonly world: SimulatedWorld;
  readonly dice: Dice;
  readonly faults: Tally;
  readonly kills: Tally;
  readonly history: string[];
  readonly failures: string[];
  readonly slots: Slot[];
  readonly storage: Storage;
  readonly tampering: Tampering;
  readonly followers: readonly { readonly calendar: 0 | 1; readonly follower: Follower }[];
  readonly underWay: Set<Promise<void>>;
  /** Clients that wait for an answer. */
  readonly syncing: Set<Follower>;
  /** What awaits processes that come by. */
  ambushes: Ambush[];
  isStormy: boolean;
  hasLostChannels: boolean;
}

/** Plays one history; the same seed plays the same one. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { provider, seed, tampering = {} } = options;
  const world = await createSimulatedWorld({ provider, seed });
  const source = dice(seed);
  const failures: string[] = [];
  const tampered = tampering.storage?.(world.storage) ?? world.storage;
  const simulation: Simulation = {
    seed,
    world,
    dice: source,
    faults: tally(),
    kills: tally(),
    history: [],
    failures,
    slots: [],
    storage: witness(tampered, world, failures),
    tampering,
    followers: [0, 1, 0].map((calendar) => ({
      calendar: calendar as 0 | 1,
      follower: follower(randomQuery(source)),
    })),
    underWay: new Set(),
    syncing: new Set(),
    ambushes: [],
    isStormy: false,
    hasLostChannels: false,
  };
  try {
    await begin(simulation);
    await storm(simulation);
    await calm(simulation);
    await compare(simulation);
    await checkStillness(simulation);
    await checkPromptness(simulation);
  } catch (error) {
    failures.push(error instanceof Error ? `${error.message}\n${error.stack}` : String(error));
  } finally {
    for (const { process } of simulation.slots) process.kill();
    countPushes(simulation);
    await world.close();
  }
  const { history, faults, kills } = simulation;
  return { failures, history, faults, kills };
}

async function begin(simulation: Simulation): Promise<void> {
  const { world } = simulation;
  for (let slot = 0; slot < PROCESSES; slot++) spawn(simulation, slot);
  world.setReceiver((request) => receive(simulation, request));
  for (let i = simulation.dice.between(2, 5); i > 0; i--) await edit(simulation);
  const { engine } = simulation.slots[0]!;
  for (const calendarId of world.person.calendarIds) {
    const body = { calendarId, webhookUrl: 'http://127.0.0.1:8080/hook' };
    await world.time.until(engine.subscriptions.create(callerOf(simulation), world.accountId, body));
  }
}

function callerOf({ world }: Simulation) {
  return { applicationId: world.applicationId };
}

function addressOf(simulation: Simulation, calendar: 0 | 1): CalendarAddress {
  const { accountId, person } = simulation.world;
  return { caller: callerOf(simulation), accountId, calendarId: person.calendarIds[calendar] };
}

function spawn(simulation: Simulation, slot: number): void {
  const { world, storage, dice: source, faults, tampering } = simulation;
  const network = unreliableNetwork({
    provider: world.reach,
    time: world.time,
    dice: source.split(),
    tally: faults,
    faultShare: () => (simulation.isStormy ? 0.06 : 0),
    isSlow: () => simulation.isStormy,
  });
  const process = startProcess({
    storage,
    fetch: tampering.fetch?.(network) ?? network,
    time: world.time,
    fate: (kind, moment) => fateOf(simulation, kind, moment),
  });
  const engine = engineOn({ ...process, seed: source.below(2 ** 31) });
  simulation.slots[slot] = { process, engine };
  void engine.start();
  void process.death.then(() => {
    if (!simulation.isStormy) return;
    void world.time.sleep(source.between(1, 40_000)).then(() => {
      if (simulation.isStormy) spawn(simulation, slot);
    });
  });
}

function fateOf(simulation: Simulation, kind: AwaitKind, moment: Moment): Fate {
  const ambush = simulation.ambushes.find((each) => each.kind === kind && each.moment === moment);
  if (ambush === undefined) return 'goes on';
  if (ambush.left > 0) {
    ambush.left -= 1;
    return 'goes on';
  }
  simulation.ambushes = simulation.ambushes.filter((each) => each !== ambush);
  const isDeath = ambush.fate === 'dies';
  if (isDeath) simulation.kills.count(`${kind}, ${moment}`);
  simulation.faults.count(isDeath ? 'process killed' : 'process paused');
  note(simulation, `${isDeath ? 'killed' : 'paused'} ${moment} ${kind}`);
  return ambush.fate;
}

function note({ history, world }: Simulation, text: string): void {
  history.push(`${((world.time.now() - FIRST_DAY) / 1000 - 32_400).toFixed(1)} s  ${text}`);
}

/** A living process; undefined when all are dead. */
function anyAlive({ slots, dice: source }: Simulation): Slot | undefined {
  const alive = slots.filter(({ process }) => !process.isDead);
  return alive.length === 0 ? undefined : source.pick(alive);
}

/** What the process answers; rejects as a connection does when it dies meanwhile. */
async function through<Result>({ process }: Slot, work: Promise<Result>): Promise<Result> {
  work.catch(() => undefined);
  const dead = process.death.then(() => {
    throw new TypeError('the process died');
  });
  dead.catch(() => undefined);
  return await Promise.race([work, dead]);
}

async function receive(simulation: Simulation, request: Request): Promise<Response> {
  const slot = anyAlive(simulation);
  if (slot === undefined) throw new TypeError('fetch failed: nobody listens');
  const name = new URL(request.url).pathname.split('/').pop()!;
  return await through(slot, slot.engine.push.receive(name, request));
}

/** A client's call, in the background: what it may answer depends on the weather. */
function inBackground(simulation: Simulation, name: string, work: (slot: Slot) => Promise<unknown>): void {
  const slot = anyAlive(simulation);
  if (slot === undefined) return;
  const call = through(slot, work(slot))
    .then(
      () => note(simulation, `${name}: done`),
      (error: unknown) => {
        note(simulation, `${name}: ${error}`);
        if (slot.process.isDead) return;
        if (KalendsError.isInstance(error) && EXPECTED_ERRORS.includes(error.code)) return;
        simulation.failures.push(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`);
      },
    )
    .finally(() => simulation.underWay.delete(call));
  simulation.underWay.add(call);
}

async function storm(simulation: Simulation): Promise<void> {
  const { world, dice: source } = simulation;
  simulation.isStormy = true;
  // Every await gets its turn within a few dozen seeds, the rare ones too.
  for (const turn of [simulation.seed, simulation.seed * 5 + 3]) {
    const kind = KILLED_AWAITS[turn % KILLED_AWAITS.length]!;
    const left = source.below(2);
    simulation.ambushes.push({ kind, moment: source.pick(['before', 'after']), fate: 'dies', left });
    if (kind === 'fetch token' || kind === 'accounts.replaceTokens') expireAccessTokens(simulation);
    if (/Sweep|Unseen/.test(kind)) forgetSyncTokens(simulation);
    if (kind === 'fetch POST') ownWrite(simulation, 'create');
  }
  world.sandbox.notifications.setFaults({ drop: 0.2, duplicate: 0.2, reorder: 0.2 });
  for (let step = source.between(10, 18); step > 0; step--) {
    await act(simulation);
    await world.time.pass(source.pick([0, 20, 100, 500, 3_000, 15_000, 70_000]));
  }
  // Last, so that nothing later makes up for what goes wrong in it.
  for (let clashes = 5; clashes > 0; clashes--) await clash(simulation);
}

async function act(simulation: Simulation): Promise<void> {
  const { dice: source } = simulation;
  const turn = source.below(100);
  if (turn < 36) return await edit(simulation);
  if (turn < 46) return ownWrite(simulation);
  if (turn < 60) return follow(simulation);
  if (turn < 77) return layAmbush(simulation);
  if (turn < 88) return await clash(simulation);
  return await strain(simulation);
}

function layAmbush(simulation: Simulation): void {
  const { dice: source } = simulation;
  if (source.chance(0.3)) {
    // Longer than the lease of a pull, between its last renewal and what it protects.
    const fate = { pausesMs: source.between(100_000, 400_000) };
    const kind = source.pick(['mirror.commit', 'mirror.commit', 'fetch GET', 'mirror.findItem']);
    simulation.ambushes.push({ kind, moment: 'before', fate, left: source.pick([0, 0, 1, 2]) });
    return;
  }
  const kind = source.pick(KILLED_AWAITS);
  const left = source.pick([0, 0, 1, 3, 9]);
  simulation.ambushes.push({ kind, moment: source.pick(['before', 'after']), fate: 'dies', left });
}

/** The person and our own callers change one event at the same time. */
async function clash(simulation: Simulation): Promise<void> {
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
  }
}

/** Waits until the provider has carried out the write of this title; its answer may be on the way for long. */
async function whenHeard({ world }: Simulation, title: string): Promise<void> {
  for (let tries = 200; tries > 0 && !world.titles.has(title); tries--) await world.time.pass(20);
}

/** Something that the provider does to us. */
async function strain(simulation: Simulation): Promise<void> {
  const { world, dice: source, faults } = simulation;
  const { controls } = world.sandbox[world.provider];
  const isGoogle = world.provider === 'google';
  const kind = source.pick([
    'sync tokens expired',
    'sync tokens expired',
    'access tokens expired',
    'push channels expired',
  ]);
  faults.count(kind);
  note(simulation, kind);
  switch (kind) {
    case 'sync tokens expired': {
      forgetSyncTokens(simulation);
      return;
    }
    case 'access tokens expired':
      expireAccessTokens(simulation);
      return;
    case 'push channels expired':
      simulation.hasLostChannels = true;
      controls[isGoogle ? 'expireChannels' : 'expireSubscriptions']!({});
  }
}

function forgetSyncTokens({ world: { sandbox, provider }, dice: source }: Simulation): void {
  const { controls } = sandbox[provider];
  const code = source.pick(['syncStateNotFound', 'syncStateInvalid', 'resyncRequired']);
  if (provider === 'google') controls['expireSyncTokens']!({});
  else controls['expireDeltaTokens']!({ code });
}

function expireAccessTokens({ world: { sandbox, provider, person } }: Simulation): void {
  sandbox[provider].controls['expireAccessTokens']!({ email: person.email });
}

function randomEdit(source: Dice, title: string): Edit {
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

async function edit(simulation: Simulation): Promise<void> {
  const { world, dice: source, history } = simulation;
  const change = randomEdit(source, `t${history.length}`);
  const calendar = source.chance(0.7) ? 0 : 1;
  const isDone = await world.person.edit(change, calendar).catch((error: unknown) => {
    // What the provider forbids has not happened.
    note(simulation, `${error}`.slice(0, 200));
    return false;
  });
  if (isDone) note(simulation, `at the provider, calendar ${calendar}: ${JSON.stringify(change)}`);
}

/** A change through the interface, which races with whatever else is going on. */
function ownWrite(simulation: Simulation, wanted?: 'create'): void {
  const { dice: source, history } = simulation;
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
    if (kind === 'delete') return await engine.events.delete(caller, accountId, calendarId, event.id);
    return await engine.events.update(caller, accountId, calendarId, event.id, { title });
  });
}

function follow(simulation: Simulation): void {
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

function randomQuery(source: Dice): EventListQuery {
  const from = FIRST_DAY + source.between(-5, 25) * DAY_MS;
  const window = {
    startDateTime: new Date(from).toISOString(),
    endDateTime: new Date(from + source.between(3, 60) * DAY_MS).toISOString(),
  };
  if (source.chance(0.6)) return { ...window, expandRecurrences: 'true' };
  return source.chance(0.5) ? {} : { ...window, ...(source.chance(0.5) ? { isAllDay: 'false' } : {}) };
}

/** The storm is over: everything that died is started again, and all is left alone until nothing is pending. */
async function calm(simulation: Simulation): Promise<void> {
  const { world, storage, slots, underWay } = simulation;
  simulation.ambushes = [];
  simulation.isStormy = false;
  world.sandbox.notifications.setFaults({});
  note(simulation, 'calm');
  slots.forEach(({ process }, slot) => {
    if (process.isDead) spawn(simulation, slot);
  });
  const calmAt = world.time.now();
  for (;;) {
    await world.time.pass(30_000);
    const states = await Promise.all(
      world.person.calendarIds.map((calendarId) => storage.schedule.get(keyOf(simulation, calendarId))),
    );
    const isQuiet = states.every(
      ({ failures, hintSeq, clearedHintSeq, syncedAt }) =>
        failures === 0 && hintSeq <= clearedHintSeq && syncedAt !== null && syncedAt > calmAt,
    );
    if (isQuiet && underWay.size === 0) return;
    if (world.time.now() - calmAt > LONGEST_CALM_MS) {
      throw new Error(`no quiet after the storm: ${JSON.stringify(states)}, ${underWay.size} calls under way`);
    }
  }
}

function keyOf({ world }: Simulation, calendarId: string) {
  return { applicationId: world.applicationId, accountId: world.accountId, calendarId };
}

/** An engine that pulls nothing: what it answers is the mirror as it is. */
function observerOf({ world, storage }: Simulation): Engine {
  const never = 366 * DAY_MS;
  return engineOn({
    storage,
    fetch: async () => {
      throw new TypeError('the observer asks nobody');
    },
    clock: world.time,
    seed: 1,
    sync: { freshWithPushMs: never, freshWithoutPushMs: never },
  });
}

const WIDE: EventListQuery = {
  expandRecurrences: 'true',
  startDateTime: new Date(FROM).toISOString(),
  endDateTime: new Date(TO).toISOString(),
  limit: '1000',
};

/** The mirror equals the provider, and every follower's copy a fresh list. */
async function compare(simulation: Simulation): Promise<void> {
  const { world, followers, failures } = simulation;
  const observer = observerOf(simulation);
  for (const calendar of [0, 1] as const) {
    const mirrored = await world.time.until(readWhole(observer, addressOf(simulation, calendar), WIDE));
    const expected = await world.person.occurrences(calendar, FROM, TO);
    const difference = differenceOf(expected, linesOf(mirrored.data));
    if (difference !== undefined) failures.push(`calendar ${calendar} differs from the provider:\n${difference}`);
  }
  for (const { calendar, follower: client } of followers) {
    const address = addressOf(simulation, calendar);
    client.apply(await world.time.until(readWhole(observer, address, { ...client.next(), limit: '4' })));
    const fresh = follower(client.query);
    fresh.apply(await world.time.until(readWhole(observer, address, client.query)));
    const texts = (held: Follower['held']) => [...held.values()].map((event) => JSON.stringify(event)).sort();
    const difference = differenceOf(texts(fresh.held), texts(client.held));
    if (difference !== undefined) {
      failures.push(
        `a client of ${JSON.stringify(client.query)} holds something else than a fresh list:\n${difference}`,
      );
    }
  }
}

function differenceOf(expected: readonly string[], actual: readonly string[]): string | undefined {
  const missing = expected.filter((line) => !actual.includes(line)).map((line) => `  missing: ${line}`);
  const surplus = actual.filter((line) => !expected.includes(line)).map((line) => `  surplus: ${line}`);
  if (missing.length + surplus.length > 0) return [...missing, ...surplus].join('\n');
  return expected.length === actual.length ? undefined : `  ${actual.length} records instead of ${expected.length}`;
}

/** Pulls of unchanged calendars write nothing and send nothing. */
async function checkStillness(simulation: Simulation): Promise<void> {
  const { world, storage, failures } = simulation;
  const revisions = async () =>
    await Promise.all(
      world.person.calendarIds.map(async (id) => (await storage.mirror.find(keyOf(simulation, id)))?.revision),
    );
  await takeMessages(simulation);
  const before = await revisions();
  await world.time.pass(200_000);
  const after = await revisions();
  if (before.join() !== after.join()) failures.push(`revisions went from ${before} to ${after} without a change`);
  const messages = await takeMessages(simulation);
  if (messages.length > 0) failures.push(`messages without a change: ${messages}`);
}

/** In fair weather a push is enough: the change is there long before the next poll, and its message too. */
async function checkPromptness(simulation: Simulation): Promise<void> {
  const { world, failures, history, dice: source } = simulation;
  if (simulation.hasLostChannels) return;
  const change = { ...randomEdit(source, `last${history.length}`), kind: 'single', day: 3 } as const;
  await world.person.edit(change, 0);
  await world.time.pass(8_000);
  const mirrored = await world.time.until(readWhole(observerOf(simulation), addressOf(simulation, 0), WIDE));
  const difference = differenceOf(await world.person.occurrences(0, FROM, TO), linesOf(mirrored.data));
  if (difference !== undefined) failures.push(`a push was not followed by a pull:\n${difference}`);
  if ((await takeMessages(simulation)).length !== 1) failures.push('a change at the provider was not told');
}

/** Takes what waits in the outbox, as if it had been delivered. */
async function takeMessages({ world }: Simulation): Promise<readonly string[]> {
  const { outbox } = world.storage;
  const taken: string[] = [];
  for (;;) {
    const claims = await outbox.claim({ limit: 10, leaseMs: 10_000 });
    if (claims.length === 0) return taken;
    for (const { subscription, message, epoch } of claims) {
      taken.push(`${message.eventType} of ${subscription.calendarId}`);
      const claim = {
        applicationId: subscription.applicationId,
        subscriptionId: subscription.id,
        messageId: message.id,
        epoch,
      };
      const attempt = {
        id: `att_${message.id}`,
        messageId: message.id,
        at: world.time.now(),
        status: 200,
        failure: null,
        latencyMs: 1,
        excerpt: '',
      };
      await outbox.acknowledge(claim, attempt, { kind: 'delivered' });
    }
  }
}

/** The sandbox notes what became of notifications. */
function countPushes({ world, faults }: Simulation): void {
  const seen = new Set<unknown>();
  for (const { outcome, notification } of world.sandbox.notifications.records()) {
    if (outcome === 'dropped') faults.count('push dropped');
    if (outcome === 'held') faults.count('push held back');
    if (outcome === 'delivered' && seen.has(notification)) faults.count('push doubled');
    if (outcome === 'delivered') seen.add(notification);
  }
}

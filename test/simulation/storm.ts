import { clash, edit, follow, ownWrite } from './acts-of-people.ts';
import { killedAwaits } from './faults.ts';
import { note, type Simulation } from './simulation-state.ts';

export async function storm(simulation: Simulation): Promise<void> {
  const { world, dice: source } = simulation;
  simulation.isStormy = true;
  const awaits = killedAwaits(world.provider);
  // Every await gets its turn within a few dozen seeds, the rare ones too.
  for (const turn of [simulation.seed, simulation.seed * 5 + 3]) {
    const kind = awaits[turn % awaits.length]!;
    const left = source.below(2);
    simulation.ambushes.push({ kind, moment: source.pick(['before', 'after']), fate: 'dies', left });
    if (kind === 'fetch token' || kind === 'accounts.replaceTokens') expireAccessTokens(simulation);
    if (/Sweep|Unseen/.test(kind)) forgetSyncTokens(simulation);
    if (kind === 'fetch POST' || kind === 'fetch PUT') ownWrite(simulation, 'create');
  }
  world.sandbox.notifications.setFaults({ drop: simulation.habits.droppedPushes, duplicate: 0.2, reorder: 0.2 });
  for (let step = source.between(10, 18); step > 0; step--) {
    for (const text of await simulation.habits.strike()) note(simulation, text);
    simulation.bookings.step(simulation);
    await simulation.reader.step(simulation);
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
    const read = simulation.world.provider === 'caldav' ? 'fetch REPORT' : 'fetch GET';
    const kind = source.pick(['mirror.commit', 'mirror.commit', read, 'mirror.findItem']);
    simulation.ambushes.push({ kind, moment: 'before', fate, left: source.pick([0, 0, 1, 2]) });
    return;
  }
  const kind = source.pick(killedAwaits(simulation.world.provider));
  const left = source.pick([0, 0, 1, 3, 9]);
  simulation.ambushes.push({ kind, moment: source.pick(['before', 'after']), fate: 'dies', left });
}

/** Something that the provider does to us. */
async function strain(simulation: Simulation): Promise<void> {
  const { world, dice: source, faults } = simulation;
  const { controls } = world.sandbox[world.provider];
  const isGoogle = world.provider === 'google';
  const strains = ['sync tokens expired', 'sync tokens expired', 'access tokens expired', 'push channels expired'];
  // CalDAV has neither access tokens nor push.
  const kind = source.pick(world.provider === 'caldav' ? strains.slice(0, 2) : strains);
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
  if (provider === 'microsoft') controls['expireDeltaTokens']!({ code });
  else controls['expireSyncTokens']!({});
}

function expireAccessTokens({ world: { sandbox, provider, person } }: Simulation): void {
  sandbox[provider].controls['expireAccessTokens']!({ email: person.email });
}

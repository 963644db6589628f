import type { ProviderRegistry } from '../accounts/index.ts';
import { isOAuth, providerPathOf } from '../accounts/index.ts';
import { EMBEDDED } from '../audit/index.ts';
import type { DataKeyService } from '../data-key-interface.ts';
import { reasonOf, type SecretCheck } from '../data-keys/index.ts';
import type { OAuthClientService, OperationsService } from '../engine-interface.ts';
import type { Clock, Finding, HostCheck, OAuthProvider, Storage } from '../ports/index.ts';
import { clientFindings } from './client-checks.ts';
import { clockFinding } from './clock-finding.ts';
import { addressFinding, publicUrlFinding, pushFinding, type ReachDependencies } from './public-url-checks.ts';
import { runChecks } from './run-checks.ts';
import { diagnoseStorage } from './storage-checks.ts';
import { zoneFinding } from './zone-finding.ts';

interface DiagnosisDependencies extends ReachDependencies {
  readonly storage: Storage;
  readonly registry: ProviderRegistry;
  readonly secretCheck: SecretCheck;
  readonly dataKeys: Pick<DataKeyService, 'checkKeyrings'>;
  readonly oauthClients: Pick<OAuthClientService, 'test'>;
  /** Without a trailing slash. */
  readonly publicUrl: string | undefined;
  readonly hostChecks: readonly HostCheck[];
}

/** Creates the diagnosis of the running system. */
export function createDiagnosis(dependencies: DiagnosisDependencies): OperationsService['diagnose'] {
  const { storage, registry, secretCheck, dataKeys, publicUrl, resolveHost, hostChecks, clock } = dependencies;

  const pushChecks: readonly HostCheck[] =
    publicUrl === undefined
      ? []
      : [
          { check: 'publicAddress', run: async () => [await addressFinding(publicUrl, resolveHost)] },
          // Providers without OAuth, CalDAV servers and feeds, push nothing.
          ...registry.oauthTypes.map((type) => ({
            check: 'push',
            run: async () => [await pushFinding(`${publicUrl}/v1/push/${providerPathOf(type)}`, dependencies)],
          })),
        ];
  const surroundings: readonly HostCheck[] = [
    { check: 'publicUrl', run: async () => [publicUrlFinding(publicUrl)] },
    ...pushChecks,
    { check: 'keyring', run: () => keyringFindings(dataKeys) },
    { check: 'zoneData', run: async () => [zoneFinding()] },
    // Clocks matter to tokens, which end at a time.
    ...registry.types.flatMap((type) => {
      const provider = registry.get(type);
      if (!isOAuth(provider)) return [];
      return [{ check: 'providerClock', run: (signal: AbortSignal) => providerClock(type, provider, clock, signal) }];
    }),
    ...hostChecks,
  ];

  return async (by = EMBEDDED) => {
    const around = runChecks(surroundings, clock);
    const { isUsable, findings: stored } = await diagnoseStorage(storage, clock);
    const behind: readonly HostCheck[] = [
      { check: 'secret', run: async () => [await secretFinding(secretCheck)] },
      { check: 'oauthClient', run: () => clientFindings(dependencies, by) },
    ];
    const rest = isUsable ? await runChecks(behind, clock) : behind.map(({ check }) => skipped(check));
    const findings = [...stored, ...rest, ...(await around)];
    return { status: worstOf(findings), findings };
  };
}

/** Returns the status of the whole: skipped checks do not count. */
export function worstOf(findings: readonly Finding[]): 'ok' | 'warning' | 'failed' {
  if (findings.some(({ status }) => status === 'failed')) return 'failed';
  return findings.some(({ status }) => status === 'warning') ? 'warning' : 'ok';
}

async function secretFinding(secretCheck: SecretCheck): Promise<Finding> {
  const check = 'secret';
  const state = await secretCheck.inspect();
  if (state.opens !== 'all') {
    const how = state.opens === 'none' ? 'nothing' : 'only a part';
    return {
      check,
      status: 'failed',
      message: `The configured secrets open ${how} of what is stored: ${reasonOf(state)}.`,
      remedy: 'See "A wrong secret" in docs/operating.md.',
    };
  }
  if (state.isChecked) return { check, status: 'ok', message: 'The secrets open what is stored.', remedy: null };
  const message = 'Nothing sealed is stored yet, so that any secret fits.';
  return { check, status: 'skipped', message, remedy: null };
}

/** A keyring that only unwraps what others have not rewrapped yet is a warning: new data is sealed without it. */
async function keyringFindings(dataKeys: Pick<DataKeyService, 'checkKeyrings'>): Promise<readonly Finding[]> {
  const check = 'keyring';
  return (await dataKeys.checkKeyrings()).map(({ id, isCurrent, problem }): Finding => {
    if (problem === null) return { check, status: 'ok', message: `The keyring ${id} wraps and unwraps.`, remedy: null };
    const message = `The keyring ${id} cannot be used: ${problem}`;
    const remedy = isCurrent
      ? 'See "Keyrings" in docs/operating.md.'
      : 'Mend it, or take it out of the settings once `kalends rewrap` finds nothing under it.';
    return { check, status: isCurrent ? 'failed' : 'warning', message, remedy };
  });
}

async function providerClock(
  type: string,
  { authorization }: OAuthProvider,
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const askedAt = clock.now();
  const theirs = await authorization.readTime?.(signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return undefined;
  });
  if (theirs === null || theirs === undefined) {
    const message = `The provider ${type} did not tell its time.`;
    return [{ check: 'providerClock', status: 'skipped', message, remedy: null }];
  }
  // Between the question and the answer; a Date header has whole seconds.
  return [clockFinding('providerClock', `the provider ${type}`, theirs - (askedAt + clock.now()) / 2)];
}

function skipped(check: string): Finding {
  const message = 'The database cannot be read, so that this cannot be checked.';
  return { check, status: 'skipped', message, remedy: null };
}

import { AssertionError } from 'node:assert/strict';
import { ProviderError } from 'kalends/ports';
import { providerConformance } from '../provider/conformance.ts';
import type { ProviderWorld } from '../provider/world.ts';

/** Result of one case; `error` is what it threw. */
export interface CaseResult {
  readonly name: string;
  readonly error: unknown;
}

/** Returns the names of all cases, in the order in which they are played. */
export function caseNames(): readonly string[] {
  const names: string[] = [];
  const createWorld = () => Promise.reject(new Error('no case is played'));
  providerConformance({ test: (name) => names.push(name), createWorld });
  return names;
}

/** Plays the cases of the provider suite one after the other; `wants` selects them by name. */
export async function playCases(
  createWorld: () => Promise<ProviderWorld>,
  wants: (name: string) => boolean,
  onResult: (result: CaseResult) => void,
): Promise<void> {
  const cases: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  providerConformance({ test: (name, run) => cases.push({ name, run }), createWorld });
  for (const { name, run } of cases.filter((one) => wants(one.name))) {
    const error = await run().then(
      () => undefined,
      (thrown: unknown) => thrown ?? new Error('nothing was thrown'),
    );
    onResult({ name, error });
  }
}

/** Matches a file of the suite in a stack. */
const SUITE_FILE = /conformance\/(?:src|dist)\/provider\/([a-z-]+)\.[jt]s/;

/** Returns kind and place of a failure. Its message is left out: it may quote texts and addresses of the account. */
export function failureOf(error: unknown): string | null {
  if (error === undefined) return null;
  const place = SUITE_FILE.exec((error as Error).stack ?? '')?.[1];
  const kind = ProviderError.isInstance(error)
    ? `provider error ${error.reason}`
    : error instanceof AssertionError
      ? 'assertion'
      : 'error';
  return place === undefined ? kind : `${kind} in provider/${place}`;
}

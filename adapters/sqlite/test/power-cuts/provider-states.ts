import { createSandbox, type Sandbox } from '@kalends/sandbox';
import type { Fetch } from 'kalends/ports';
import { CLIENT, PROVIDERS, type ProviderName } from './engine-on-file.ts';

/** A provider whose states are kept, so that it can be set back to what it was at a power cut. */
export interface RecordedProvider {
  readonly url: string;
  readonly sandbox: Sandbox;
  /** All that it was, in order. */
  readonly states: readonly string[];
  close(): Promise<void>;
}

/** Starts the provider; `saved` is called with the index of each state, before the answer that tells of it. */
export async function startProvider(
  provider: ProviderName,
  seed: number,
  saved: (index: number) => void,
): Promise<RecordedProvider> {
  const states: string[] = [];
  const state = { load: () => undefined, save: (text: string) => saved(states.push(text) - 1) };
  const sandbox = createSandbox({ seed, state });
  const { email } = PROVIDERS[provider];
  sandbox[provider].addMailbox({ email, name: 'Person', timeZone: 'Europe/London' });
  sandbox[provider].addClient({ ...CLIENT, redirectUris: [] });
  const { url } = await sandbox.listen();
  return { url, sandbox, states, close: () => sandbox.close() };
}

/** The provider as it was, in this process. */
export function providerAsOf(text: string): { readonly sandbox: Sandbox; readonly fetch: Fetch } {
  const sandbox = createSandbox({ state: { load: () => text, save: () => undefined } });
  return { sandbox, fetch: (input, init) => sandbox.fetch(new Request(input, init)) };
}

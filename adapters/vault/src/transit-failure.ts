import type { Answer } from '@kalends/provider-transport';
import { KeyringError } from 'kalends/ports';
import { z } from 'zod';
import type { VaultSettings } from './options.ts';

/** Operations of the transit secrets engine that the keyring uses. */
export type TransitOperation = 'encrypt' | 'decrypt';

const failure = z.object({ errors: z.array(z.string()) });

/**
 * Reads an answer that is no success. Only a 400 to a decryption speaks of the one key that was sent; everything else stands
 * in the way of all keys, and its message names what an operator has to do.
 * @see https://developer.hashicorp.com/vault/api-docs#http-status-codes
 */
export function transitFailure(settings: VaultSettings, operation: TransitOperation, answer: Answer): KeyringError {
  const { address, mount, key } = settings;
  const path = `${mount}/${operation}/${key}`;
  const said = errorsOf(answer.text);
  const unavailable = (message: string) => new KeyringError('unavailable', message);
  switch (answer.status) {
    case 400:
      if (said.includes('encryption key not found')) {
        return unavailable(`Vault has no transit key "${key}": create it with: vault write -f ${mount}/keys/${key}`);
      }
      if (operation === 'decrypt') return new KeyringError('unopened', `Vault does not open the wrapped key: ${said}`);
      return unavailable(`Vault refuses to encrypt under the transit key "${key}": ${said}`);
    case 403:
      return unavailable(
        `Vault refuses the token for ${path} (${said}): it has expired, or its policy lacks path "${path}" { capabilities = ["update"] }`,
      );
    case 404:
      return unavailable(
        `Vault has nothing at ${path} (${said}): enable the transit secrets engine there, or correct the mount and the namespace`,
      );
    case 503:
      if (/sealed/i.test(said))
        return unavailable(`Vault at ${address} is sealed: unseal it with: vault operator unseal`);
      return unavailable(`Vault at ${address} is not available (${said})`);
    case 301:
    case 302:
    case 307:
    case 308:
      return unavailable(
        `Vault at ${address} sends requests elsewhere: give the address of its active node, or of a load balancer`,
      );
    default:
      return unavailable(`Vault at ${address} answered ${path} with status ${answer.status} (${said})`);
  }
}

/** Whether another attempt may be answered differently: too many requests, a replica that lags behind, a breakdown. */
export function isPassing({ status }: Answer): boolean {
  return status === 412 || status === 429 || status >= 500;
}

/** Returns the errors of an answer. Vault's name neither keys nor tokens. */
function errorsOf(text: string): string {
  try {
    const { errors } = failure.parse(JSON.parse(text));
    return (
      errors
        .map((error) => error.replace(/\s+/g, ' ').trim())
        .join('; ')
        .slice(0, 300) || 'no reason given'
    );
  } catch {
    return 'no reason given';
  }
}

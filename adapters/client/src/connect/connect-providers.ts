/** A provider that the person can choose. */
export interface ConnectProvider {
  /** `providerType` of the accounts: `PROVIDER_A`. */
  readonly type: string;
  /** Name that the person knows: `Google`. */
  readonly label: string;
}

/**
 * Reads the attribute `providers`: types with their labels, as `PROVIDER_A=Google, PROVIDER_B=Microsoft`. A type without a label
 * is its own.
 * @throws TypeError when no provider is named, when a type is not of letters, digits, `_` and `-`, or when it is repeated
 */
export function parseConnectProviders(text: string): readonly ConnectProvider[] {
  const providers = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseProvider);
  const types = new Set(providers.map(({ type }) => type.toLowerCase()));
  if (providers.length === 0)
    throw new TypeError('"providers" names no provider: PROVIDER_A=Google, PROVIDER_B=Microsoft');
  if (types.size < providers.length) throw new TypeError('"providers" names a provider twice');
  return providers;
}

function parseProvider(entry: string): ConnectProvider {
  const [type = '', ...label] = entry.split('=');
  if (!/^[\w-]+$/.test(type.trim())) throw new TypeError(`"providers" has the type "${type}", which is not a name`);
  return { type: type.trim(), label: label.join('=').trim() || type.trim() };
}

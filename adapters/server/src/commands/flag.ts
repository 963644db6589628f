import type { ParseArgsConfig } from 'node:util';

/** A flag of a command: for its parser, its help and the completion of shells. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  /** `switch` takes no value, and can be negated (`--no-NAME`); `list` may be repeated. */
  readonly kind: 'switch' | 'value' | 'list';
  /** Placeholder of the value in the help. @default the name in capitals */
  readonly value?: string;
  readonly summary: string;
  /** Values that a shell offers. */
  readonly choices?: readonly string[];
  readonly isRequired?: boolean;
  /** Whether a switch is on unless it is negated: people are shown `--no-NAME`. */
  readonly isOn?: boolean;
  /** Whether the value is the path of a file. */
  readonly isFile?: boolean;
}

/** Returns a flag as a person writes it. */
export function dashed({ name, isOn }: Flag): string {
  return isOn === true ? `--no-${name}` : `--${name}`;
}

type OptionTypes = NonNullable<ParseArgsConfig['options']>;

/** Returns the options of `parseArgs` for flags. */
export function optionsOf(flags: readonly Flag[]): OptionTypes {
  return Object.fromEntries(
    flags.map(({ name, kind }) => [
      name,
      { type: kind === 'switch' ? ('boolean' as const) : ('string' as const), multiple: kind === 'list' },
    ]),
  );
}

/** Returns flags for options of `parseArgs`, for completion. */
export function flagsOf(options: OptionTypes): readonly Flag[] {
  return Object.entries(options).map(([name, { type, multiple }]) => ({
    name,
    kind: type === 'boolean' ? 'switch' : multiple === true ? 'list' : 'value',
    summary: '',
  }));
}

/** Returns a name of the interface as the name of a flag: `redirectUri` is `redirect-uri`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns a name of the interface as a placeholder: `messageId` is `MESSAGE_ID`. */
export function capitals(name: string): string {
  return kebab(name).replaceAll('-', '_').toUpperCase();
}

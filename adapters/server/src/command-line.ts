import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';
import { suggestion } from './commands/nearest.ts';

/** Repeats the named options before each further value: `--ics a.ics b.ics` becomes `--ics a.ics --ics b.ics`. */
export function spreadValues(args: readonly string[], names: readonly string[]): string[] {
  const spread: string[] = [];
  let name: string | undefined;
  let values = 0;
  for (const arg of args) {
    if (arg.startsWith('--')) {
      const [option = '', value] = arg.split('=');
      name = names.includes(option.slice(2)) ? option : undefined;
      values = value === undefined ? 0 : 1;
      spread.push(arg);
    } else {
      if (name !== undefined && values > 0) spread.push(name);
      values += 1;
      spread.push(arg);
    }
  }
  return spread;
}

type OptionTypes = NonNullable<ParseArgsConfig['options']>;
type Values<Options extends OptionTypes> = ReturnType<typeof parseArgs<{ options: Options }>>['values'];

/** Parses options. @throws CommandError naming the wrong option, and the one that is probably meant */
export function parseOptions<const Options extends OptionTypes>(
  args: readonly string[],
  options: Options,
): Values<Options> {
  return asCommandError(
    () => parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values,
    options,
  );
}

/** Parses options and arguments; a switch may be negated. @throws CommandError as `parseOptions` */
export function parseArguments(
  args: readonly string[],
  options: OptionTypes,
): { readonly values: Readonly<Record<string, unknown>>; readonly positionals: readonly string[] } {
  return asCommandError(
    () => parseArgs({ args: [...args], options, strict: true, allowPositionals: true, allowNegative: true }),
    options,
  );
}

function asCommandError<Result>(parse: () => Result, options: OptionTypes): Result {
  try {
    return parse();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const [, unknown = ''] = /'(--?[^' ]*)'/.exec(message) ?? [];
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw new CommandError(message);
    const names = Object.keys(options).map((name) => `--${name}`);
    throw new CommandError(`Unknown option '${unknown}'${suggestion(unknown, names)}`);
  }
}

/** Parses a port. @throws CommandError for a text that is not one */
export function parsePort(text: string, option: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new CommandError(`${option} must be a port from 0 to 65535, not "${text}"`);
  return port;
}

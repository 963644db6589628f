import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

/** An option that may be followed by several values: `--ics a.ics b.ics` is `--ics a.ics --ics b.ics`. */
export function spreadValues(args: readonly string[], names: readonly string[]): string[] {
  const spread: string[] = [];
  let name: string | undefined;
  let values = 0;
  for (const arg of args) {
    if (arg.startsWith('--')) {
      name = names.includes(arg.slice(2)) ? arg : undefined;
      values = 0;
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

/** @throws CommandError naming the option that is wrong */
export function parseOptions<const Options extends OptionTypes>(
  args: readonly string[],
  options: Options,
): Values<Options> {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\nSee: kalends help`);
  }
}

/** @throws CommandError unless the text is a port */
export function parsePort(text: string, option: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new CommandError(`${option} must be a port from 0 to 65535, not "${text}"`);
  return port;
}

export function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h');
}

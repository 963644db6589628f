import { KalendsError, StorageUnavailableError } from 'kalends/ports';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { allCommands, findCommand, GROUPS } from './all-commands.ts';
import type { CommandEntry, Topic } from './command.ts';
import { suggestion } from './nearest.ts';

const TOPICS: Readonly<Record<Topic, string>> = {
  develop: 'Develop',
  run: 'Run a server',
  administer: 'Administer it: on the database of the settings, or with --url on a server',
  kalends: 'This program',
};

const HELP_WORDS: readonly string[] = ['--help', '-h'];

/**
 * Runs `kalends` with its arguments, and prints what goes wrong.
 * @returns the exit code: 0, 1 for a failure, 2 for arguments that cannot be used
 */
export async function runProgram(args: readonly string[], io: CommandIo): Promise<number> {
  try {
    return await dispatch(args, io);
  } catch (error) {
    const isExpected = error instanceof CommandError;
    if (args.includes('--json')) {
      io.stderr.write(`${JSON.stringify({ code: codeOf(error), message: (error as Error).message })}\n`);
    } else {
      const isTold = isExpected || StorageUnavailableError.isInstance(error);
      io.stderr.write(`kalends: ${isTold ? error.message : ((error as Error).stack ?? String(error))}\n`);
    }
    return isExpected ? error.exitCode : 1;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof CommandError || KalendsError.isInstance(error)) return error.code;
  return StorageUnavailableError.isInstance(error) ? 'Unavailable' : 'InternalError';
}

async function dispatch(args: readonly string[], io: CommandIo): Promise<number> {
  const [first] = args;
  if (first === undefined) {
    io.stderr.write(await programHelp());
    return 2;
  }
  if (first === '--version' || first === '-v') return await dispatch(['version'], io);
  if (first === 'help' || HELP_WORDS.includes(first)) return await printHelp(args.slice(1), io);
  const found = await findCommand(args);
  if (found === undefined) {
    if (args.some((arg) => HELP_WORDS.includes(arg))) {
      return await printHelp(
        args.filter((arg) => !HELP_WORDS.includes(arg)),
        io,
      );
    }
    if (args.length === 1 && Object.hasOwn(GROUPS, first)) {
      io.stderr.write(groupHelp(first, await allCommands()));
      return 2;
    }
    throw await unknownCommand(args);
  }
  const { entry, rest } = found;
  const command = await entry.load();
  if (rest.some((arg) => HELP_WORDS.includes(arg))) {
    io.stdout.write(command.help);
    return 0;
  }
  try {
    return await command.run(rest, io);
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'InvalidCommand' || args.includes('--json')) throw error;
    throw new CommandError(`${error.message}\nSee: kalends ${entry.words} --help`, error.exitCode);
  }
}

async function printHelp(words: readonly string[], io: CommandIo): Promise<number> {
  const [first = ''] = words;
  if (words.length === 0 || first === 'help' || HELP_WORDS.includes(first)) {
    io.stdout.write(await programHelp());
  } else if (words.length === 1 && Object.hasOwn(GROUPS, first)) {
    io.stdout.write(groupHelp(first, await allCommands()));
  } else {
    const found = await findCommand(words);
    if (found === undefined) throw await unknownCommand(words);
    io.stdout.write((await found.entry.load()).help);
  }
  return 0;
}

async function unknownCommand([first = '', second]: readonly string[]): Promise<CommandError> {
  const entries = await allCommands();
  if (Object.hasOwn(GROUPS, first) && second !== undefined) {
    const words = entries.map((entry) => entry.words).filter((each) => each.startsWith(`${first} `));
    const said = `${first} ${second}`;
    return new CommandError(`there is no command "${said}"${suggestion(said, words)}\nSee: kalends help ${first}`);
  }
  const candidates = [...entries.map(({ words }) => words.split(' ')[0] ?? ''), 'help'];
  return new CommandError(`there is no command "${first}"${suggestion(first, candidates)}\nSee: kalends help`);
}

async function programHelp(): Promise<string> {
  const entries = await allCommands();
  const parts = Object.entries(TOPICS).map(([topic, title]) => {
    const ofTopic = entries.filter((entry) => entry.topic === topic);
    const single = ofTopic.filter(({ words }) => !words.includes(' ')).map(({ words, summary }) => [words, summary]);
    const groups = [...new Set(ofTopic.map(({ words }) => words.split(' ')[0] ?? ''))].filter((word) =>
      Object.hasOwn(GROUPS, word),
    );
    const lines = [
      ...groups.map((group) => [group, `${GROUPS[group]}: ${verbsOf(group, ofTopic).join(', ')}`]),
      ...single,
    ];
    return `${title}\n${lines.map(([name = '', text]) => `  ${name.padEnd(11)} ${text}\n`).join('')}`;
  });
  return `kalends: unified calendar engine

${parts.join('\n')}
"kalends help COMMAND" and "kalends COMMAND --help" explain each; docs/operating.md has the settings.
`;
}

function verbsOf(group: string, entries: readonly CommandEntry[]): readonly string[] {
  return entries
    .map(({ words }) => words.split(' '))
    .flatMap(([first, verb]) => (first === group && verb ? [verb] : []));
}

function groupHelp(group: string, entries: readonly CommandEntry[]): string {
  const ofGroup = entries.filter(({ words }) => words.startsWith(`${group} `));
  const width = Math.max(...ofGroup.map(({ words }) => words.length));
  const lines = ofGroup.map(({ words, summary }) => `  kalends ${words.padEnd(width)}  ${summary}\n`);
  return `kalends ${group}: ${GROUPS[group]}\n\n${lines.join('')}\n"kalends help ${group} COMMAND" explains each.\n`;
}

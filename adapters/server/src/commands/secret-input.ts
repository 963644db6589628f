import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';

/** Standard input of a command, which can be read once. */
export interface Input {
  /** Reads all of it as text. @throws CommandError naming the flag or field that has read it before */
  readAll(reader: string): Promise<string>;
  /**
   * Reads a secret: on a terminal it asks for it without showing it, else it reads all of the input.
   * @throws CommandError for an empty one
   */
  readSecret(name: string, variable: string): Promise<string>;
  /** Asks a question that is answered by yes or no. @throws CommandError naming --yes, where no person can be asked */
  confirm(question: string): Promise<boolean>;
}

/** Creates the input of one command. */
export function createInput({ stdin, stderr }: CommandIo): Input {
  const isTerminal = (stdin as Partial<NodeJS.ReadStream>).isTTY === true;
  let usedBy: string | undefined;
  const readAll = async (reader: string): Promise<string> => {
    if (usedBy !== undefined) throw new CommandError(`${usedBy} and ${reader} cannot both be read from standard input`);
    usedBy = reader;
    const parts: Buffer[] = [];
    for await (const part of stdin) parts.push(Buffer.from(part));
    return Buffer.concat(parts).toString('utf8');
  };
  return {
    readAll,
    async readSecret(name, variable) {
      const secret = isTerminal ? await ask({ stdin, stderr }, `${name}: `, true) : await readAll(name);
      if (secret.trim() !== '') return secret.trim();
      throw new CommandError(`${name} is missing: pass it on standard input, or set ${variable} or ${variable}_FILE`);
    },
    async confirm(question) {
      if (!isTerminal) throw new CommandError(`${question}\nNo person can be asked here: give --yes to do it`);
      return /^y(es)?$/i.test(await ask({ stdin, stderr }, `${question} [y/N] `, false));
    },
  };
}

/** Asks a question on a terminal. A secret's letters are not shown. */
function ask(
  { stdin, stderr }: Pick<CommandIo, 'stdin' | 'stderr'>,
  question: string,
  isHidden: boolean,
): Promise<string> {
  stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: isHidden ? silent : stderr, terminal: isHidden });
  return new Promise((resolve, reject) => {
    lines.once('SIGINT', () => reject(new CommandError('interrupted', 130)));
    lines.once('line', (line) => resolve(line.trim()));
    lines.once('close', () => resolve(''));
  }).finally(() => {
    lines.close();
    if (isHidden) stderr.write('\n');
  }) as Promise<string>;
}

/** Reads the JSON object of `--body`. @throws CommandError for a file that cannot be read, or anything but an object */
export async function readBody(file: string, input: Input): Promise<Readonly<Record<string, unknown>>> {
  const text = file === '-' ? await input.readAll('--body') : readFile(file);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`--body is not valid JSON: ${(error as Error).message}`);
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw new CommandError('--body must be a JSON object');
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`--body: cannot read ${file}: ${(error as Error).message}`);
  }
}

import { parseOptions } from '../command-line.ts';
import { packageVersion } from '../package-version.ts';
import type { Command } from './command.ts';

export const versionCommand: Command = {
  help: 'kalends version: prints the version of this program\n',
  flags: [],
  async run(args, io) {
    parseOptions(args, {});
    io.stdout.write(`${packageVersion()}\n`);
    return 0;
  },
};

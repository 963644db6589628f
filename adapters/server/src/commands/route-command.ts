import type { AdminRoute } from '@kalends/http/administration';
import { CommandError } from '../command-error.ts';
import { parseArguments } from '../command-line.ts';
import type { Environment } from '../environment.ts';
import type { Command } from './command.ts';
import { ENGINE_FLAGS } from './engine-flags.ts';
import { type Field, flagOf } from './fields.ts';
import { capitals, type Flag, kebab, optionsOf } from './flag.ts';
import { isPaged, type Operation, operationOf } from './operation.ts';
import { routeHelp } from './route-help.ts';
import { runOperation } from './run-operation.ts';
import { WAITING } from './wait-for.ts';

/** Flags of every command that plays a route. */
const PLACE_FLAGS: readonly Flag[] = [
  { name: 'json', kind: 'switch', summary: 'Print the body of the interface, and errors as JSON.' },
  {
    name: 'url',
    kind: 'value',
    value: 'URL',
    summary: 'Ask the server at this URL, such as https://calendar.example.com/api; or KALENDS_ADMIN_URL.',
  },
  { name: 'token-stdin', kind: 'switch', summary: 'With --url, read KALENDS_ADMIN_TOKEN from standard input.' },
];

/** Returns the command of a route. @throws Error for a route that no command can express */
export function routeCommand(route: AdminRoute, env: Environment = process.env): Command {
  const operation = operationOf(route);
  const own = ownFlags(operation);
  // A stream is that of a server: this process would have none.
  const ofEngine = route.isStream === true ? [] : ENGINE_FLAGS;
  const flags = [...own, ...PLACE_FLAGS, ...ofEngine];
  return {
    help: routeHelp(operation, own, [...PLACE_FLAGS, ...ofEngine]),
    flags,
    async run(args, io) {
      refuseSecrets(operation, args);
      const { values, positionals } = parseArguments(args, optionsOf(flags));
      return await runOperation(operation, { values, positionals, env }, io);
    },
  };
}

/** Returns the flags of an operation itself: path parameters, query, body, and the ways to run it. */
export function ownFlags(operation: Operation): readonly Flag[] {
  const { route, parameters, positionals, query, body } = operation;
  const { operationId, command } = route;
  const isFlag = ({ name, isSecret }: Field) => !positionals.includes(name) && !isSecret;
  return [
    ...parameters.filter((name) => !positionals.includes(name)).map(parameterFlag),
    ...[...body, ...query].filter(isFlag).map(flagOf),
    ...(isPaged(operation) ? [{ name: 'all', kind: 'switch', summary: 'Fetch all pages.' } as const] : []),
    ...(body.length === 0
      ? []
      : [
          {
            name: 'body',
            kind: 'value',
            value: 'FILE|-',
            summary: 'JSON body; flags overwrite its fields.',
            isFile: true,
          } as const,
        ]),
    ...(operationId in WAITING
      ? [{ name: 'wait', kind: 'switch', summary: WAITING[operationId]?.summary ?? '' } as const]
      : []),
    ...(command.confirm === undefined
      ? []
      : [{ name: 'yes', kind: 'switch', summary: 'Do it without asking.' } as const]),
  ];
}

function parameterFlag(name: string): Flag {
  const summary = name === 'app' ? 'The application; or KALENDS_APP.' : '';
  return { name: kebab(name), kind: 'value', value: 'ID', summary, isRequired: true };
}

/** @throws CommandError for a secret among the arguments */
function refuseSecrets({ body }: Operation, args: readonly string[]): void {
  const secrets = [...body.filter(({ isSecret }) => isSecret), { flag: 'token', name: 'adminToken' }];
  for (const { flag, name } of secrets) {
    if (!args.some((arg) => arg === `--${flag}` || arg.startsWith(`--${flag}=`))) continue;
    throw new CommandError(
      `--${flag} is refused: arguments show in the list of processes. Set KALENDS_${capitals(name)}, or pass it on standard input`,
    );
  }
}

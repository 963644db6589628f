import type { CommandEntry } from './command.ts';

/** The commands that play no route, in the order of the help. */
const OWN_COMMANDS: readonly CommandEntry[] = [
  {
    words: 'dev',
    topic: 'develop',
    summary: 'starts the interface and a sandbox of three providers on this machine',
    load: async () => (await import('../dev/dev-command.ts')).devCommand,
  },
  {
    words: 'tour',
    topic: 'develop',
    summary: 'plays the main job against a started "kalends dev"',
    load: async () => (await import('../tour/tour-command.ts')).tourCommand,
  },
  {
    words: 'parity',
    topic: 'develop',
    summary: 'compares the sandbox with a test account at Google or Microsoft',
    load: async () => (await import('../parity/parity-usage.ts')).parityCommand,
  },
  {
    words: 'expand',
    topic: 'develop',
    summary: 'expands a recurrence rule',
    load: async () => (await import('../expand-command.ts')).expandCommand,
  },
  {
    words: 'check-history',
    topic: 'develop',
    summary: 'checks the log of a client against the promises of kalends',
    load: async () => (await import('../history/check-history-command.ts')).checkHistoryCommand,
  },
  {
    words: 'start',
    topic: 'run',
    summary: 'serves and works in one process, on SQLite or PostgreSQL',
    load: async () => (await import('../serve/serve-command.ts')).serverCommand('start'),
  },
  {
    words: 'serve',
    topic: 'run',
    summary: 'answers the interface only',
    load: async () => (await import('../serve/serve-command.ts')).serverCommand('serve'),
  },
  {
    words: 'work',
    topic: 'run',
    summary: 'syncs, keeps push channels and delivers only',
    load: async () => (await import('../serve/serve-command.ts')).serverCommand('work'),
  },
  {
    words: 'mcp',
    topic: 'run',
    summary: 'serves an agent over standard input and output (Model Context Protocol)',
    load: async () => (await import('../mcp/mcp-command.ts')).mcpCommand,
  },
  {
    words: 'migrate',
    topic: 'run',
    summary: 'brings the database up to date',
    load: async () => (await import('../admin/migrate-command.ts')).migrateCommand,
  },
  {
    words: 'doctor',
    topic: 'run',
    summary: 'checks this installation, and says how to mend what it finds',
    load: async () => (await import('../doctor/doctor-command.ts')).doctorCommand,
  },
  {
    words: 'rewrap',
    topic: 'run',
    summary: 'wraps stored keys under the current secret, after a change of secrets',
    load: async () => (await import('../admin/rewrap-command.ts')).rewrapCommand,
  },
  {
    words: 'erase',
    topic: 'run',
    summary: 'looks for what a deleted account has left in the database (--verify)',
    load: async () => (await import('../admin/erase-command.ts')).eraseCommand,
  },
  {
    words: 'export',
    topic: 'run',
    summary: 'writes a calendar as an iCalendar file',
    load: async () => (await import('../admin/export-command.ts')).exportCommand,
  },
  {
    words: 'import',
    topic: 'run',
    summary: 'imports an iCalendar file into a calendar',
    load: async () => (await import('../admin/import-command.ts')).importCommand,
  },
  {
    words: 'availability',
    topic: 'run',
    summary: 'finds when people can meet, by the calendars of accounts',
    load: async () => (await import('../admin/availability-command.ts')).availabilityCommand,
  },
  {
    words: 'account places',
    topic: 'administer',
    summary: 'shows in which database of several accounts are, with the database settings',
    load: async () => (await import('../admin/account-places-command.ts')).accountPlacesCommand,
  },
  {
    words: 'account move',
    topic: 'administer',
    summary: 'moves accounts to another database, while they are in use, with the database settings',
    load: async () => (await import('../admin/account-move-command.ts')).accountMoveCommand,
  },
  {
    words: 'restored',
    topic: 'run',
    summary: 'makes all calendars due and tells all receivers, once after a restore',
    load: async () => (await import('../admin/restored-command.ts')).restoredCommand,
  },
  {
    words: 'completion',
    topic: 'kalends',
    summary: 'prints the completion of bash, zsh or fish',
    load: async () => (await import('./completion-command.ts')).completionCommand(allCommands),
  },
  {
    words: 'version',
    topic: 'kalends',
    summary: 'prints the version',
    load: async () => (await import('./version-command.ts')).versionCommand,
  },
];

/** Groups of commands, by their first word. */
export const GROUPS: Readonly<Record<string, string>> = {
  app: 'applications',
  client: 'their OAuth clients at the providers',
  key: 'their API keys',
  account: 'the accounts of their users',
  feed: 'calendars published under secret addresses',
  receiver: 'webhook subscriptions and endpoints, and their deliveries',
  audit: 'the audit log',
};

/** Returns all commands: those of the administration's routes stand before those about kalends itself. */
export async function allCommands(): Promise<readonly CommandEntry[]> {
  const ofRoutes = await routeEntries();
  const own = new Set(OWN_COMMANDS.map(({ words }) => words));
  return [
    ...OWN_COMMANDS.filter(({ topic }) => topic !== 'kalends'),
    ...ofRoutes.filter(({ words }) => !own.has(words)),
    ...OWN_COMMANDS.filter(({ topic }) => topic === 'kalends'),
  ];
}

/** Returns the command that the first words of arguments name, and the rest of the arguments; undefined for none. */
export async function findCommand(
  args: readonly string[],
): Promise<{ readonly entry: CommandEntry; readonly rest: readonly string[] } | undefined> {
  for (const count of [2, 1]) {
    const words = args.slice(0, count).join(' ');
    const own = OWN_COMMANDS.find((each) => each.words === words);
    if (own !== undefined) return { entry: own, rest: args.slice(count) };
  }
  for (const count of [2, 1]) {
    const words = args.slice(0, count).join(' ');
    const entry = (await routeEntries()).find((each) => each.words === words);
    if (entry !== undefined) return { entry, rest: args.slice(count) };
  }
  return undefined;
}

/** Returns the commands of the administration's routes; the table is loaded when it is asked for. */
async function routeEntries(): Promise<readonly CommandEntry[]> {
  const { adminInterface } = await import('@kalends/http/administration');
  return adminInterface.routes.map((route) => ({
    words: route.command.words,
    topic: 'administer',
    summary: route.summary,
    load: async () => (await import('./route-command.ts')).routeCommand(route),
  }));
}

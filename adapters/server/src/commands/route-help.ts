import { capitals, dashed, type Flag } from './flag.ts';
import type { Operation } from './operation.ts';

const WIDEST = 30;

/** Returns the text of `--help` of an operation's command. */
export function routeHelp(
  { route, positionals, body }: Operation,
  own: readonly Flag[],
  place: readonly Flag[],
): string {
  const { words, example } = route.command;
  const secrets = body.filter(({ isSecret }) => isSecret);
  const usage = [
    `Usage: kalends ${words}`,
    ...positionals.map(capitals),
    ...own.filter(({ isRequired }) => isRequired).map((flag) => shown(flag)),
    '[flags]',
    ...(secrets.length === 0 ? [] : ['< SECRET']),
  ].join(' ');
  const blocks = [
    [`${route.summary}.`, ...(route.description === undefined ? [] : [route.description.replaceAll('`', '')])].join(
      '\n',
    ),
    usage,
    ...secrets.map(secretHelp),
    section('Flags', own),
    section(
      `Where it runs: ${route.isStream === true ? '' : 'on the database of the settings, or '}on a server`,
      place,
    ),
    `Example: kalends ${words} ${example}`.trimEnd(),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function secretHelp({ name, description }: Operation['body'][number]): string {
  const variable = `KALENDS_${capitals(name)}`;
  return `${name}: read from ${variable}, the file that ${variable}_FILE names, or standard input. ${description}`;
}

/** Returns a titled list of flags, their summaries aligned; the empty text for none. */
function section(title: string, flags: readonly Flag[]): string {
  if (flags.length === 0) return '';
  const left = flags.map(shown);
  const width = Math.min(WIDEST, Math.max(...left.map((text) => text.length)));
  const lines = flags.map(({ summary, isRequired }, index) => {
    const text = left[index] ?? '';
    const gap = text.length > width ? `\n${' '.repeat(width + 2)}` : ' '.repeat(width - text.length);
    return `  ${text}${gap}  ${summary}${isRequired ? ' Required.' : ''}`.trimEnd();
  });
  return `${title}:\n${lines.join('\n')}`;
}

function shown(flag: Flag): string {
  const { name, kind, value } = flag;
  if (kind === 'switch') return dashed(flag);
  return `${dashed(flag)} ${value ?? capitals(name)}${kind === 'list' ? ' ...' : ''}`;
}

import type { PlayedCase, Transcript } from './transcript.ts';

/** Returns a transcript as JSON with one exchange a line, to be read and compared. */
export function printTranscript({ cases, ...head }: Transcript): string {
  return printWith(head, 'cases', cases.map(printCase));
}

const printCase = ({ exchanges, ...head }: PlayedCase) =>
  printWith(
    head,
    'exchanges',
    exchanges.map((exchange) => JSON.stringify(exchange)),
  ).trimEnd();

const printWith = (head: object, name: string, lines: readonly string[]) =>
  `${JSON.stringify(head).slice(0, -1)},"${name}":[\n${lines.join(',\n')}\n]}\n`;

import type { IcsComponent } from './component.ts';

/** Longest line in octets, its line end apart (RFC 5545 §3.1). */
const LONGEST_LINE = 75;

/** Returns the text of components: lines end in CRLF and are folded between characters. */
export function printComponents(components: readonly IcsComponent[]): string {
  const lines: string[] = [];
  for (const component of components) addLines(lines, component);
  return lines.map((line) => `${foldLine(line)}\r\n`).join('');
}

function addLines(lines: string[], component: IcsComponent): void {
  lines.push(`BEGIN:${component.name}`);
  for (const { line } of component.properties) lines.push(line);
  for (const inner of component.components) addLines(lines, inner);
  lines.push(`END:${component.name}`);
}

/** Folds a line after 75 octets at most, never within a character. */
export function foldLine(line: string): string {
  if (line.length * 3 <= LONGEST_LINE) return line;
  const parts: string[] = [];
  let part = '';
  let octets = 0;
  for (const character of line) {
    const size = octetsOf(character);
    if (octets + size > LONGEST_LINE) {
      parts.push(part);
      part = '';
      // The space that begins a continuation counts.
      octets = 1;
    }
    part += character;
    octets += size;
  }
  parts.push(part);
  return parts.join('\r\n ');
}

function octetsOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

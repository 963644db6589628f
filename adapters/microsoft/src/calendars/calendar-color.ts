/** The nine colours that a calendar of Outlook can have, with the hex values nearest to what Outlook shows. */
const COLORS = {
  lightBlue: '#a6d1f5',
  lightGreen: '#87d28e',
  lightOrange: '#fcab73',
  lightGray: '#c0c0c0',
  lightYellow: '#f5f565',
  lightTeal: '#4adacc',
  lightPink: '#e7a1e2',
  lightBrown: '#e2ceb3',
  lightRed: '#f98c8c',
} as const;

/** What Outlook shows for a calendar whose colour nobody chose. */
const AUTOMATIC = '#0078d4';

/** The hex value of a colour of Graph; that of the automatic one where the name stands for none. */
export function hexOfColor(color: string | null | undefined): string {
  return (COLORS as Readonly<Record<string, string>>)[color ?? ''] ?? AUTOMATIC;
}

/** The colour of Graph that is nearest to a hex value. */
export function nearestColor(hex: string): string {
  const wanted = channelsOf(hex);
  let nearest = 'auto';
  let least = Number.POSITIVE_INFINITY;
  for (const [name, value] of Object.entries(COLORS)) {
    const distance = channelsOf(value).reduce((sum, channel, index) => sum + (channel - wanted[index]!) ** 2, 0);
    if (distance < least) {
      nearest = name;
      least = distance;
    }
  }
  return nearest;
}

function channelsOf(hex: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

/** A hex value of Graph, which may lack the leading sign; undefined for anything else, such as the usual empty text. */
export function readHex(text: string | null | undefined): string | undefined {
  const digits = /^#?([0-9a-f]{6})$/i.exec(text ?? '')?.[1];
  return digits === undefined ? undefined : `#${digits}`;
}

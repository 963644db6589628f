/** The nine colours of an Outlook calendar, with hex values close to those that Outlook shows. */
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

/** Outlook's colour of a calendar without a chosen one. */
const AUTOMATIC = '#0078d4';

/** Returns the hex value of a colour of Graph; the automatic one for an unknown name. */
export function hexOfColor(color: string | null | undefined): string {
  return (COLORS as Readonly<Record<string, string>>)[color ?? ''] ?? AUTOMATIC;
}

/** Returns the colour of Graph nearest to a hex value. */
export function nearestColor(hex: string): string {
  const wanted = channelsOf(hex);
  let nearest = 'auto';
  let least = Number.POSITIVE_INFINITY;
  for (const [name, value] of Object.entries(COLORS)) {
    const [red, green, blue] = channelsOf(value);
    const distance = (red - wanted[0]) ** 2 + (green - wanted[1]) ** 2 + (blue - wanted[2]) ** 2;
    if (distance < least) {
      nearest = name;
      least = distance;
    }
  }
  return nearest;
}

function channelsOf(hex: string): readonly [number, number, number] {
  const channelAt = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16);
  return [channelAt(1), channelAt(3), channelAt(5)];
}

/** Reads a hex value of Graph, which may lack the leading sign; undefined for anything else, such as the usual empty text. */
export function readHex(text: string | null | undefined): string | undefined {
  const digits = /^#?([0-9a-f]{6})$/i.exec(text ?? '')?.[1];
  return digits === undefined ? undefined : `#${digits}`;
}

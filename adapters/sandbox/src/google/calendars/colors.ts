const EVENT_COLORS = [
  '#a4bdfc',
  '#7ae7bf',
  '#dbadff',
  '#ff887c',
  '#fbd75b',
  '#ffb878',
  '#46d6db',
  '#e1e1e1',
  '#5484ed',
  '#51b749',
  '#dc2127',
];

const CALENDAR_COLORS = [
  '#ac725e',
  '#d06b64',
  '#f83a22',
  '#fa573c',
  '#ff7537',
  '#ffad46',
  '#42d692',
  '#16a765',
  '#7bd148',
  '#b3dc6c',
  '#fbe983',
  '#fad165',
  '#92e1c0',
  '#9fe1e7',
  '#9fc6e7',
  '#4986e7',
  '#9a9cff',
  '#b99aff',
  '#c2c2c2',
  '#cabdbf',
  '#cca6ac',
  '#f691b2',
  '#cd74e6',
  '#a47ae2',
];

const FOREGROUND = '#1d1d1d';
export const CALENDAR_FOREGROUND = '#000000';

/** Returns the background of a calendar colour id; undefined for an unknown id. */
export function calendarBackground(colorId: string): string | undefined {
  return /^\d+$/.test(colorId) ? CALENDAR_COLORS[Number(colorId) - 1] : undefined;
}

/** Returns the colour id with the background nearest to an RGB colour. */
export function nearestCalendarColor(hex: string): string {
  const distances = CALENDAR_COLORS.map((color) => distance(color, hex));
  return String(distances.indexOf(Math.min(...distances)) + 1);
}

function distance(one: string, other: string): number {
  return [1, 3, 5].reduce((sum, at) => {
    const difference = Number.parseInt(one.slice(at, at + 2), 16) - Number.parseInt(other.slice(at, at + 2), 16);
    return sum + difference * difference;
  }, 0);
}

/** The answer of `GET /colors`. */
export function colorsAnswer(): unknown {
  const table = (colors: readonly string[], foreground: string) =>
    Object.fromEntries(colors.map((background, index) => [String(index + 1), { background, foreground }]));
  return {
    kind: 'calendar#colors',
    updated: '2012-02-14T00:00:00.000Z',
    calendar: table(CALENDAR_COLORS, FOREGROUND),
    event: table(EVENT_COLORS, FOREGROUND),
  };
}

export const DAYS: readonly string[] = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export const MONTHS: readonly string[] = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/** Returns `one, two and three`. */
export function list(words: readonly string[], conjunction: string): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/** Returns `2nd` for 2, `last` for -1, and `2nd to last` for -2. */
export function nth(value: number): string {
  if (value === -1) return 'last';
  if (value < 0) return `${nth(-value)} to last`;
  const [tens, ones] = [value % 100, value % 10];
  if (tens > 10 && tens < 14) return `${value}th`;
  return `${value}${ones === 1 ? 'st' : ones === 2 ? 'nd' : ones === 3 ? 'rd' : 'th'}`;
}

/** Returns `09:00`. */
export function hour(value: number, minute = 0): string {
  return `${String(value).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

import { effect, signal } from '@preact/signals';

/** Zone in which times are shown. */
export type ZoneChoice = 'account' | 'mine' | 'utc';
export type Theme = 'system' | 'light' | 'dark';

function kept<Value extends string>(name: string, values: readonly Value[]) {
  const stored = localStorage.getItem(`kalends.${name}`) as Value;
  const choice = signal<Value>(values.includes(stored) ? stored : (values[0] as Value));
  effect(() => localStorage.setItem(`kalends.${name}`, choice.value));
  return choice;
}

export const zoneChoice = kept<ZoneChoice>('zone', ['mine', 'account', 'utc']);
export const theme = kept<Theme>('theme', ['system', 'light', 'dark']);
/** The application that was open last. */
export const lastApplication = signal(localStorage.getItem('kalends.application') ?? undefined);

effect(() => {
  const { dataset } = document.documentElement;
  if (theme.value === 'system') delete dataset['theme'];
  else dataset['theme'] = theme.value;
});
effect(() => {
  if (lastApplication.value !== undefined) localStorage.setItem('kalends.application', lastApplication.value);
});

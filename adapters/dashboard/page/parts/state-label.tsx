import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

export type Tone = 'good' | 'warning' | 'bad' | 'neutral';

/** A state: its colour, an icon and a word. */
export function StateLabel({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`state ${tone}`}>
      <Icon name={tone} />
      {children}
    </span>
  );
}

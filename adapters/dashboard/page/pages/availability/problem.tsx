import { Icon } from '../../parts/icon.tsx';

/** A rule that a part of the form breaks. */
export function Problem({ children }: { readonly children: string }) {
  return (
    <p class="problem small" role="alert">
      <Icon name="warning" />
      {children}
    </p>
  );
}

import type { ComponentChildren } from 'preact';
import type { Call } from '../api/request.ts';
import { asCode, asCurl } from '../api/samples.ts';
import { common } from '../texts/en/frame.ts';
import { CodeBlock } from './copy.tsx';
import { Icon, type IconName } from './icon.tsx';

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  /** The next step. */
  readonly hint: ComponentChildren;
  readonly children?: ComponentChildren;
  /** The call that does the same. */
  readonly call?: Call;
}

/** Stands in place of a list that has nothing: what to do next, and the same by curl. */
export function EmptyState({ icon, title, hint, children, call }: EmptyStateProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      <p>{hint}</p>
      {children}
      {call === undefined ? null : <CodeBlock text={asCurl(call)} what="curl" />}
    </div>
  );
}

/** The request that a page made, as curl and as code. */
export function ApiSample({ call }: { readonly call: Call }) {
  return (
    <details class="sample">
      <summary>{common.sameByApi}</summary>
      <ApiSampleTexts call={call} />
    </details>
  );
}

function ApiSampleTexts({ call }: { readonly call: Call }) {
  return (
    <div class="stack-small">
      <CodeBlock text={asCurl(call)} what="curl" />
      <CodeBlock text={asCode(call)} what="JavaScript" />
    </div>
  );
}

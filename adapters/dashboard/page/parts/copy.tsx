import { useState } from 'preact/hooks';
import { common } from '../texts/en/frame.ts';
import { Icon } from './icon.tsx';
import { announce } from './toasts.tsx';

/** Copies a text, and says so. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    announce(common.copied);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <button type="button" class="copy-button" aria-label={common.copy(what)} title={common.copy(what)} onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  );
}

/** Returns a long text without its middle. */
export function middleTruncated(text: string, length = 24): string {
  if (text.length <= length) return text;
  const half = Math.floor((length - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}

/** An id, in mono, with its copy button. */
export function CopyId({ id, what, length }: { readonly id: string; readonly what: string; readonly length?: number }) {
  return (
    <span class="copy">
      <code title={id}>{middleTruncated(id, length)}</code>
      <CopyButton text={id} what={what} />
    </span>
  );
}

/** Text to copy as a whole: a command, JSON. */
export function CodeBlock({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <div class="code-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="code-block" tabIndex={0} aria-label={what}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={text} what={what} />
    </div>
  );
}

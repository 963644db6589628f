import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { applicationId } from '../state/session.ts';
import { common } from '../texts/en/frame.ts';
import { CopyId } from './copy.tsx';

interface PageHeadProps {
  readonly title: string;
  /** One sentence: what the page is for. */
  readonly purpose: string;
  /** The primary action. */
  readonly children?: ComponentChildren;
}

/** Head of a page: title, the application's id, what the page is for, and its primary action. */
export function PageHead({ title, purpose, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · ${common.product}`;
  }, [title]);
  return (
    <header class="page-head">
      <div class="titles">
        <div class="where">
          <h1 tabIndex={-1}>{title}</h1>
          {applicationId.value === undefined ? null : (
            <span class="muted small">
              <CopyId id={applicationId.value} what={common.applicationId} length={40} />
            </span>
          )}
        </div>
        <p class="muted">{purpose}</p>
      </div>
      <div class="row">{children}</div>
    </header>
  );
}

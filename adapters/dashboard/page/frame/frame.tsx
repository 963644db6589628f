import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Icon } from '../parts/icon.tsx';
import { isOffline } from '../state/connection.ts';
import { BASE } from '../state/links.ts';
import { common } from '../texts/en/frame.ts';
import { BottomBar } from './bottom-bar.tsx';
import { Rail } from './rail.tsx';

/** The frame: pages at the left, on a phone below, and the page itself. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
  const main = useRef<HTMLElement>(null);
  // Application and page: details of an object have the same.
  const page = path.slice(BASE.length).split('/').slice(0, 3).join('/');
  const before = useRef(page);
  useEffect(() => {
    // Readers of screens begin at the new page's heading; details on the same page have a focus of their own.
    if (before.current !== page) main.current?.focus({ preventScroll: true });
    before.current = page;
  }, [page]);
  return (
    <div class="frame">
      {/* biome-ignore lint/a11y/useValidAnchor: a link to a place on this page, as readers of screens expect it */}
      <a class="skip" href="#content" onClick={(event) => skipTo(event, main.current)}>
        {common.skip}
      </a>
      <Rail />
      <main class="main" id="content" tabIndex={-1} ref={main}>
        {isOffline.value ? (
          <div class="banner" role="status">
            <Icon name="warning" />
            {common.offline}
          </div>
        ) : null}
        {children}
      </main>
      <BottomBar />
    </div>
  );
}

/** The base of the page's addresses is not its own: a plain fragment would leave the page. */
function skipTo(event: Event, element: HTMLElement | null): void {
  event.preventDefault();
  element?.focus();
}

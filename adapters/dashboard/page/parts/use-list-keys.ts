import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * Gives a list its keys: `j` and `k` go to the next and last row's link (`.row-link`), which Enter opens, and `/` to the search of the
 * page. Returns the reference for the element around the list and its search.
 */
export function useListKeys(): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      if (event.key === '/') {
        event.preventDefault();
        list.current?.querySelector<HTMLInputElement>('.search input')?.focus();
      }
      if (event.key === 'j' || event.key === 'k') step(list.current, event.key === 'j' ? 1 : -1);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return list;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

function step(list: HTMLElement | null, by: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLElement>('.row-link') ?? [])];
  const row = document.activeElement?.closest('tr, li');
  const at = links.findIndex((link) => link === document.activeElement || (row && link.closest('tr, li') === row));
  const next = at < 0 ? (by === 1 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + by));
  links[next]?.focus();
  links[next]?.scrollIntoView({ block: 'nearest' });
}

import { useLocation } from 'preact-iso';
import { Icon } from '../parts/icon.tsx';
import { type PageName, pageLink } from '../state/links.ts';
import { common } from '../texts/en/frame.ts';
import { PAGE_ICONS } from './pages.ts';

interface NavLinkProps {
  readonly applicationId: string;
  readonly page: PageName;
  readonly onClick?: () => void;
}

/** A link to a page of an application. */
export function NavLink({ applicationId, page, onClick }: NavLinkProps) {
  const { path } = useLocation();
  const address = pageLink(applicationId, page);
  const isCurrent = path === address || path.startsWith(`${address}/`);
  return (
    <a class="nav-link" href={address} aria-current={isCurrent ? 'page' : undefined} onClick={onClick}>
      <Icon name={PAGE_ICONS[page]} />
      {common.pages[page]}
    </a>
  );
}

import { applicationsLink } from '../state/links.ts';
import { applicationId, applications } from '../state/session.ts';
import { common } from '../texts/en/frame.ts';
import { ApplicationSwitcher } from './application-switcher.tsx';
import { NavLink } from './nav-link.tsx';
import { extraPages, RAIL_PAGES } from './pages.ts';
import { Preferences } from './preferences.tsx';

/** The pages at the left of a wide page. */
export function Rail() {
  const id = applicationId.value ?? applications.value?.[0]?.id;
  return (
    <aside class="rail">
      <a class="brand" href={applicationsLink()}>
        <BrandMark />
        {common.product}
      </a>
      <ApplicationSwitcher />
      <nav aria-label={common.navigation}>
        <ul>
          {id === undefined
            ? null
            : [...RAIL_PAGES, ...extraPages()].map((page) => (
                <li key={page}>
                  <NavLink applicationId={id} page={page} />
                </li>
              ))}
        </ul>
      </nav>
      <Preferences />
    </aside>
  );
}

export function BrandMark() {
  return (
    <svg class="brand-mark" viewBox="0 0 16 16" aria-hidden="true">
      <rect width="16" height="16" rx="4" fill="var(--accent)" />
      <path d="M5 3.5v9M5 8.6l5.4-5M7 7l4 5.5" stroke="var(--on-accent)" stroke-width="1.8" fill="none" />
    </svg>
  );
}

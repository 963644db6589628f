import { useState } from 'preact/hooks';
import { Panel } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { applicationId, applications } from '../state/session.ts';
import { common } from '../texts/en/frame.ts';
import { ApplicationSwitcher } from './application-switcher.tsx';
import { NavLink } from './nav-link.tsx';
import { BAR_PAGES, extraPages, RAIL_PAGES } from './pages.ts';
import { Preferences } from './preferences.tsx';

/** The pages below a narrow page: four, and the others under "More". */
export function BottomBar() {
  const [isOpen, setOpen] = useState(false);
  const id = applicationId.value ?? applications.value?.[0]?.id;
  const others = [...RAIL_PAGES, ...extraPages()].filter((page) => !BAR_PAGES.includes(page));
  const close = () => setOpen(false);
  return (
    <>
      <nav class="bottom-bar" aria-label={common.navigation}>
        {id === undefined ? null : BAR_PAGES.map((page) => <NavLink key={page} applicationId={id} page={page} />)}
        <button type="button" class="nav-link" aria-expanded={isOpen} onClick={() => setOpen(true)}>
          <Icon name="more" />
          {common.more}
        </button>
      </nav>
      {isOpen ? (
        <Panel title={common.more} onClose={close}>
          <ApplicationSwitcher />
          <nav aria-label={common.more}>
            {id === undefined
              ? null
              : others.map((page) => <NavLink key={page} applicationId={id} page={page} onClick={close} />)}
          </nav>
          <Preferences />
        </Panel>
      ) : null}
    </>
  );
}

import type { IconName } from '../parts/icon.tsx';
import type { PageName } from '../state/links.ts';
import { session } from '../state/session.ts';

/** Pages of the rail, in its order. */
export const RAIL_PAGES: readonly PageName[] = [
  'overview',
  'accounts',
  'calendar',
  'availability',
  'webhooks',
  'keys',
  'settings',
  'audit',
];
/** Pages of the bar below a narrow page; the others stand under "More". */
export const BAR_PAGES: readonly PageName[] = ['overview', 'accounts', 'calendar', 'webhooks'];

export const PAGE_ICONS: Readonly<Record<PageName, IconName>> = {
  overview: 'overview',
  accounts: 'accounts',
  calendar: 'calendar',
  availability: 'availability',
  webhooks: 'webhooks',
  keys: 'key',
  settings: 'settings',
  audit: 'audit',
  sandbox: 'sandbox',
};

/** Returns the pages that stand under the others. */
export const extraPages = (): readonly PageName[] => (session.value?.isDemo ? ['sandbox'] : []);

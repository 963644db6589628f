import { useLocation } from 'preact-iso';
import { applicationsLink, pageLink, pageOf } from '../state/links.ts';
import { applicationId, applications } from '../state/session.ts';
import { common } from '../texts/en/frame.ts';

const ALL = '';

/** Chooses the application whose pages are shown. */
export function ApplicationSwitcher() {
  const { path, route } = useLocation();
  const all = applications.value ?? [];
  // The same page of the other application; details of one have no counterpart in the other.
  const page = pageOf(path) ?? 'overview';
  const choose = (id: string) => route(id === ALL ? applicationsLink() : pageLink(id, page));
  return (
    <select
      class="input"
      aria-label={common.chooseApplication}
      value={applicationId.value ?? ALL}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      <option value={ALL}>{common.allApplications}</option>
      {all.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

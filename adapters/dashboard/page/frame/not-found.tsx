import { EmptyState } from '../parts/empty-state.tsx';
import { applicationsLink } from '../state/links.ts';
import { common } from '../texts/en/frame.ts';

export function NotFound() {
  return (
    <div class="card">
      <EmptyState icon="search" title={common.notFound.title} hint={common.notFound.hint}>
        <a class="button" href={applicationsLink()}>
          {common.allApplications}
        </a>
      </EmptyState>
    </div>
  );
}

import { openApiChanges } from './openapi-changes.js';
import { typeChanges } from './type-changes.js';

/** Returns the differences of two snapshots (texts by file name) for users, each as `{ isBreak, text }`. */
export function snapshotChanges(before, after) {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((file) => {
    const [one, other] = [before[file], after[file]];
    if (file.endsWith('.json')) {
      const changes = openApiChanges(JSON.parse(one ?? '{}'), JSON.parse(other ?? '{}'));
      return changes.map(({ isBreak, text }) => ({ isBreak, text: `${file}: ${text}` }));
    }
    return typeChanges(one ?? '', other ?? '', file.replace(/\.txt$/, ''));
  });
}

/**
 * Returns why the tree is not fit: a snapshot that is not that of the code, or a break since the last release of which the changelog
 * does not speak.
 * @param released the snapshot of the last release, undefined before the first
 */
export function stabilityProblems({ snapshot, current, released, changelog }) {
  const stale = [...new Set([...Object.keys(snapshot), ...Object.keys(current)])].filter(
    (file) => snapshot[file] !== current[file],
  );
  const breaks = released === undefined ? [] : snapshotChanges(released, current).filter(({ isBreak }) => isBreak);
  const unreleased = changelog.split('\n## [Unreleased]\n')[1]?.split('\n## ')[0] ?? '';
  const isSaid = /^- \*\*Breaking\*\*/m.test(unreleased);
  return [
    ...(stale.length === 0
      ? []
      : [
          `the public interface has changed (${stale.join(', ')}): read "npm run stability", then "npm run stability -- --accept"`,
        ]),
    ...(breaks.length === 0 || isSaid
      ? []
      : [
          `breaks since the last release need a line "- **Breaking**: …" under Unreleased in CHANGELOG.md:\n${shown(breaks)}`,
        ]),
  ];
}

export const shown = (changes) =>
  changes.map(({ isBreak, text }) => `  ${isBreak ? 'BREAK' : 'added'}  ${text}`).join('\n');

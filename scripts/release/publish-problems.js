/**
 * Returns the reasons not to publish a package from this tree, one line each.
 * @param tree what the tree is like: `changes` as `git status --porcelain` prints them, the commits `head` and `tested` (the last
 * one that `.ci/run` has passed, or undefined), the tags of `head`, the package's version, the projects that `tsc` would build,
 * the files that the manifest names and that do not exist, and the URL of the repository that runs the workflow, if one does
 * @param manifest the package's manifest
 */
export function publishProblems(tree, manifest) {
  const tag = `v${manifest.version}`;
  const problems = [
    [tree.changes !== '', `the working tree has changes; commit or stash them:\n${tree.changes}`],
    [!tree.tags.includes(tag), `HEAD has no tag ${tag}; "npm run release" makes it`],
    [tree.tested !== tree.head, `${testedBefore(tree.tested)}; run .ci/run on ${tree.head}`],
    [tree.staleProjects.length > 0, `not built: ${tree.staleProjects.join(', ')}; run "npm run build"`],
    [tree.missingFiles.length > 0, `the manifest names files that do not exist: ${tree.missingFiles.join(', ')}`],
    [
      tree.workflowUrl !== undefined && tree.workflowUrl !== manifest.repository?.url,
      `"repository" names ${manifest.repository?.url}, but ${tree.workflowUrl} publishes; npm refuses such a provenance`,
    ],
  ];
  return problems.filter(([holds]) => holds).map(([, text]) => text);
}

const testedBefore = (commit) =>
  commit === undefined ? 'no commit has passed .ci/run here' : `.ci/run passed on ${commit}`;

/** Returns the paths of files that a manifest names in `exports` and `bin`, without their leading `./`, each once. */
export function namedFiles({ exports = {}, bin = {} }) {
  const paths = [exports, bin].flatMap(function leaves(value) {
    return typeof value === 'string' ? [value] : Object.values(value).flatMap(leaves);
  });
  return [...new Set(paths.map((path) => path.replace(/^\.\//, '')))];
}

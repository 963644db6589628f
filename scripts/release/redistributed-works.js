/** Libraries that the build puts into the page of the dashboard, with the files of their licences. */
const PAGE_LIBRARIES = {
  '@event-calendar/core': undefined, // names its licence (MIT) in its package.json alone
  '@preact/signals': 'LICENSE',
  '@preact/signals-core': 'LICENSE',
  '@tanstack/virtual-core': 'LICENSE',
  preact: 'LICENSE',
  'preact-iso': 'LICENSE',
  svelte: 'LICENSE.md',
  uplot: 'LICENSE',
};

/**
 * Works of others that go out in our packages. `package` is ours, `work` the npm package that the build takes `files` (paths in
 * ours, or all of a folder: `assets/files/*`) from. `texts` are the files of the work that its licence wants passed on, each with the path of the file of ours
 * that contains it.
 */
export const REDISTRIBUTED_WORKS = [
  {
    package: 'kalends',
    work: 'cldr-core',
    files: ['src/zones/windows-zones.ts', 'dist/zones/windows-zones.js'],
    texts: { LICENSE: 'NOTICE' },
  },
  {
    package: '@kalends/http',
    work: 'swagger-ui-dist',
    files: ['assets/swagger-ui.css', 'assets/swagger-ui-bundle.js'],
    texts: {
      LICENSE: 'assets/LICENSE',
      NOTICE: 'assets/NOTICE',
      'swagger-ui-bundle.js.LICENSE.txt': 'assets/swagger-ui-bundle.js.LICENSE.txt',
    },
  },
  ...Object.entries(PAGE_LIBRARIES).map(([work, licence]) => ({
    package: '@kalends/dashboard',
    work,
    files: ['assets/files/*'],
    texts: licence === undefined ? {} : { [licence]: 'assets/LICENSES.md' },
  })),
];

/** Returns the names of the works in each of our packages, by the package's name. */
export function bundledWorks() {
  const names = new Set(REDISTRIBUTED_WORKS.map((entry) => entry.package));
  const worksOf = (name) => REDISTRIBUTED_WORKS.filter((entry) => entry.package === name).map(({ work }) => work);
  return Object.fromEntries([...names].map((name) => [name, worksOf(name)]));
}

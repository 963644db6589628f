import { describe, expect, it } from 'vitest';
import {
  checkManifests,
  checkVersion,
  compareVersions,
  releaseChangelog,
  withVersion,
  withVersionConstant,
} from '../../scripts/release/plan-release.js';

const publishConfig = { access: 'public', provenance: true };

describe('versions', () => {
  it('are ordered as Semantic Versioning 2.0.0 §11 does', () => {
    const ascending = [
      '0.9.9',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.10',
      '1.2.0',
      '2.0.0',
    ];
    const sorted = ascending.toReversed().sort(compareVersions);
    expect(sorted).toEqual(ascending);
    expect(compareVersions('1.2.3-rc.1', '1.2.3-rc.1')).toBe(0);
  });

  it.each(['1.2', 'v1.2.3', '1.02.3', '1.2.3-', 'next'])('refuse %s', (text) => {
    expect(() => compareVersions(text, '1.0.0')).toThrow(`"${text}" is not a version`);
  });
});

describe('checkVersion', () => {
  it('accepts a version above the present one', () => {
    expect(() => checkVersion('0.2.0', '0.1.0')).not.toThrow();
    expect(() => checkVersion('0.1.1-rc.1', '0.1.0')).not.toThrow();
  });

  it.each(['0.1.0', '0.0.9', '0.1.0-rc.1'])('refuses %s, which is not above it', (version) => {
    expect(() => checkVersion(version, '0.1.0')).toThrow(`${version} is not above 0.1.0`);
  });
});

describe('checkManifests', () => {
  const manifests = [
    { name: 'kalends', version: '0.1.0', publishConfig },
    { name: '@kalends/http', version: '0.1.0', publishConfig },
  ];

  it('accepts packages in step', () => {
    expect(() => checkManifests(manifests)).not.toThrow();
  });

  it('names a package that is out of step, and one that cannot be published with provenance', () => {
    const late = { name: '@kalends/sql', version: '0.0.9', publishConfig };
    expect(() => checkManifests([...manifests, late])).toThrow('@kalends/sql has version 0.0.9');
    const silent = { name: '@kalends/sql', version: '0.1.0', publishConfig: { access: 'public' } };
    expect(() => checkManifests([...manifests, silent])).toThrow('@kalends/sql needs "publishConfig"');
  });
});

describe('withVersion', () => {
  const names = ['kalends', '@kalends/sql', '@kalends/sandbox'];

  it('moves dependencies on packages of the repository, and no others', () => {
    const manifest = {
      name: '@kalends/server',
      version: '0.1.0',
      dependencies: { '@kalends/sql': '0.1.0', pino: '10.4.0' },
      peerDependencies: { kalends: '>=0.1.0 <1', pg: '^8.16.0', '@kalends/sandbox': '0.1.0' },
      peerDependenciesMeta: { '@kalends/sandbox': { optional: true } },
    };
    expect(withVersion(manifest, '1.2.0', names)).toEqual({
      name: '@kalends/server',
      version: '1.2.0',
      dependencies: { '@kalends/sql': '1.2.0', pino: '10.4.0' },
      peerDependencies: { kalends: '>=1.2.0 <2', pg: '^8.16.0', '@kalends/sandbox': '1.2.0' },
      peerDependenciesMeta: { '@kalends/sandbox': { optional: true } },
    });
  });

  it('keeps the order of a manifest, so that its diff is the versions alone', () => {
    const manifest = { name: 'kalends', version: '0.1.0', type: 'module', dependencies: { zod: '4.6.7' } };
    expect(Object.keys(withVersion(manifest, '0.2.0', names))).toEqual(Object.keys(manifest));
  });

  it('refuses a range that it would have to guess', () => {
    const manifest = { name: '@kalends/x', version: '0.1.0', dependencies: { kalends: '^0.1.0' } };
    expect(() => withVersion(manifest, '0.2.0', names)).toThrow('@kalends/x: dependencies.kalends: "^0.1.0"');
  });
});

describe('releaseChangelog', () => {
  const changelog = `# Changelog

## [Unreleased]

### Added

- Reminders.

## [0.1.0] - 2026-01-01

First version.
`;

  it('gives the unreleased changes their version and date, under an empty section', () => {
    const { text, notes } = releaseChangelog(changelog, '0.2.0', '2026-11-22');
    expect(notes).toBe('### Added\n\n- Reminders.');
    expect(text).toBe(`# Changelog

## [Unreleased]

## [0.2.0] - 2026-11-22

### Added

- Reminders.

## [0.1.0] - 2026-01-01

First version.
`);
  });

  it('does so for the first release', () => {
    const { text } = releaseChangelog('# Changelog\n\n## [Unreleased]\n\n- One.\n', '0.1.0', '2026-11-22');
    expect(text).toBe('# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-11-22\n\n- One.\n');
  });

  it('refuses a changelog without changes, or without the section', () => {
    const { text } = releaseChangelog(changelog, '0.2.0', '2026-11-22');
    expect(() => releaseChangelog(text, '0.3.0', '2026-11-23')).toThrow('lists no change');
    expect(() => releaseChangelog('# Changelog\n', '0.3.0', '2026-11-23')).toThrow('has no section');
  });
});

describe('the version in a source file', () => {
  it('is written in place of the former one', () => {
    const text = "/** Version. */\nexport const VERSION = '0.1.0';\nconst OTHER = '0.1.0';\n";
    expect(withVersionConstant(text, '1.2.3')).toBe(text.replace("VERSION = '0.1.0'", "VERSION = '1.2.3'"));
  });

  it('must be there', () => {
    expect(() => withVersionConstant('const A = 1;', '1.2.3')).toThrow('VERSION');
  });
});

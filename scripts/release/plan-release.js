const SEMVER = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;
const UNRELEASED = '## [Unreleased]';

/** A release that cannot be made; the message says why. */
export class ReleaseError extends Error {
  name = 'ReleaseError';
}

function parseVersion(text) {
  const match = SEMVER.exec(text);
  if (match === null) throw new ReleaseError(`"${text}" is not a version such as 1.2.3 or 1.2.3-rc.1`);
  const [, major, minor, patch, tail] = match;
  return { numbers: [major, minor, patch].map(Number), prerelease: tail?.split('.') };
}

/** Semantic Versioning 2.0.0 §11: numbers compare as numbers and come before words; a shorter list comes first. */
function compareIdentifiers(one, other) {
  if (one === other) return 0;
  if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
  const isNumber = (text) => /^\d+$/.test(text);
  if (isNumber(one) && isNumber(other)) return Number(one) - Number(other);
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  return one < other ? -1 : 1;
}

/**
 * Returns a negative number when the first version comes before the other, zero for equal ones.
 * @throws ReleaseError for a text that is not a version
 */
export function compareVersions(first, second) {
  const [one, other] = [parseVersion(first), parseVersion(second)];
  for (const index of [0, 1, 2]) {
    const difference = one.numbers[index] - other.numbers[index];
    if (difference !== 0) return difference;
  }
  if (one.prerelease === undefined || other.prerelease === undefined) {
    return Number(one.prerelease === undefined) - Number(other.prerelease === undefined);
  }
  const length = Math.max(one.prerelease.length, other.prerelease.length);
  for (let index = 0; index < length; index += 1) {
    const difference = compareIdentifiers(one.prerelease[index], other.prerelease[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Checks that packages have one version, and that npm publishes them openly and with provenance.
 * @throws ReleaseError naming the package that is out of step
 */
export function checkManifests(manifests) {
  const [first] = manifests;
  for (const { name, version, publishConfig } of manifests) {
    if (version !== first.version) {
      throw new ReleaseError(`${name} has version ${version}, but ${first.name} has ${first.version}`);
    }
    if (publishConfig?.access !== 'public' || publishConfig.provenance !== true) {
      throw new ReleaseError(`${name} needs "publishConfig": { "access": "public", "provenance": true }`);
    }
  }
}

/** @throws ReleaseError unless the version comes after the present one */
export function checkVersion(version, present) {
  if (compareVersions(version, present) <= 0) throw new ReleaseError(`${version} is not above ${present}`);
}

const DEPENDENCIES = ['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies'];

/**
 * Returns the manifest with the new version. Dependencies on other packages of the repository follow: an exact version
 * becomes the new one, `>=a <b` begins at the new one and ends before the next major.
 * @throws ReleaseError for a dependency of another form
 */
export function withVersion(manifest, version, names) {
  const next = { ...manifest, version };
  for (const kind of DEPENDENCIES) {
    if (manifest[kind] === undefined) continue;
    next[kind] = Object.fromEntries(
      Object.entries(manifest[kind]).map(([name, range]) => [
        name,
        names.includes(name) ? nextRange(range, version, `${manifest.name}: ${kind}.${name}`) : range,
      ]),
    );
  }
  return next;
}

function nextRange(range, version, place) {
  if (SEMVER.test(range)) return version;
  if (/^>=\S+ <\S+$/.test(range)) return `>=${version} <${parseVersion(version).numbers[0] + 1}`;
  throw new ReleaseError(`${place}: "${range}" is neither an exact version nor ">=a <b"`);
}

/**
 * Turns the Unreleased section into the section of `version`, under a new, empty Unreleased section.
 * @param date `YYYY-MM-DD`
 * @returns the whole changelog, and the new section's text for the tag
 * @throws ReleaseError when there is no Unreleased section, or nothing in it
 */
export function releaseChangelog(changelog, version, date) {
  const start = changelog.indexOf(`${UNRELEASED}\n`);
  if (start < 0) throw new ReleaseError(`CHANGELOG.md has no section "${UNRELEASED}"`);
  const bodyStart = start + UNRELEASED.length + 1;
  const nextSection = changelog.indexOf('\n## ', bodyStart);
  const end = nextSection < 0 ? changelog.length : nextSection + 1;
  const notes = changelog.slice(bodyStart, end).trim();
  if (!/^- /m.test(notes)) throw new ReleaseError('CHANGELOG.md lists no change under Unreleased');
  const rest = changelog.slice(end);
  const text = `${changelog.slice(0, start)}${UNRELEASED}\n\n## [${version}] - ${date}\n\n${notes}\n${rest === '' ? '' : `\n${rest}`}`;
  return { text, notes };
}

/** Returns a source file with another value of its constant `VERSION`. @throws ReleaseError when it has none */
export function withVersionConstant(text, version) {
  const line = /^export const VERSION = '[^']*';$/m;
  if (!line.test(text)) throw new ReleaseError('there is no line `export const VERSION = …` to write the version to');
  return text.replace(line, `export const VERSION = '${version}';`);
}

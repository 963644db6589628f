import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDockerfile } from './dockerfile.ts';
import { readUnit } from './systemd-unit.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const FOLDER = 'docs/deploying';
const dockerfile = readDockerfile(read(`${FOLDER}/Dockerfile`));
const compose = parse(read(`${FOLDER}/compose.yaml`));
const unit = readUnit(read(`${FOLDER}/kalends@.service`), {});
const [DRAIN_SECONDS, LAME_DUCK_SECONDS] = [15, 5];

it('docs/deploying.md links each file of its folder', () => {
  const page = read('docs/deploying.md');
  const files = readdirSync(join(ROOT, FOLDER)).filter((name) => name !== 'secrets' && !name.endsWith('.dockerignore'));
  expect(files.length).toBeGreaterThan(4);
  expect(files.filter((name) => !page.includes(`](deploying/${name})`))).toEqual([]);
});

it('every setting that the files name exists', () => {
  const documented = new Set(
    read('docs/operating.md')
      .match(/`KALENDS_[A-Z_]+`/g)
      ?.map((name) => name.slice(1, -1)),
  );
  const files = ['Dockerfile', 'compose.yaml', 'kalends@.service', 'nginx.conf', 'Caddyfile'];
  const named = files.flatMap((name) => read(`${FOLDER}/${name}`).match(/\bKALENDS_[A-Z_]+/g) ?? []);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !documented.has(name.replace(/_FILE$/, '')))).toEqual([]);
});

it('the image has the Node of a release, a user without rights, and files of an earlier stage alone', () => {
  const [build, final] = dockerfile;
  expect(dockerfile).toHaveLength(2);
  expect(final?.image).toBe(build?.image);
  expect(read('.github/workflows/release.yml')).toContain(
    `node-version: ${/^node:(\d+)-/.exec(build?.image ?? '')?.[1]}\n`,
  );
  expect(final?.instructions).toContainEqual({ name: 'USER', text: 'node' });
  for (const { name, text } of final?.instructions ?? []) {
    if (name === 'COPY') expect(text).toMatch(/^--from=build \/kalends\/(\w|\.)+ (\w|\.)+$/);
  }
});

it('the compose file names what it has, publishes on the host alone, and gives a process time to end', () => {
  const { services, secrets, volumes } = compose;
  const names = Object.keys(services);
  expect(names).toEqual(['postgres', 'migrate', 'kalends']);
  for (const service of Object.values<Record<string, never>>(services)) {
    for (const secret of service.secrets ?? []) expect(Object.keys(secrets)).toContain(secret);
    for (const needed of Object.keys(service.depends_on ?? {})) expect(names).toContain(needed);
    for (const volume of service.volumes ?? []) expect(Object.keys(volumes)).toContain(String(volume).split(':')[0]);
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    const build = service.build as { readonly context: string; readonly dockerfile: string } | undefined;
    if (build !== undefined) expect(existsSync(join(ROOT, FOLDER, build.context, build.dockerfile))).toBe(true);
    const environment: Readonly<Record<string, string>> = service.environment ?? {};
    for (const [name, value] of Object.entries(environment)) {
      expect(name, `${name} is a secret`).not.toMatch(/(PASSWORD|SECRET|DATABASE_URL|TOKEN)$/);
      if (name.endsWith('_FILE')) expect(service.secrets).toContain(value.replace('/run/secrets/', ''));
    }
  }
  expect(Number.parseInt(services.kalends.stop_grace_period, 10)).toBeGreaterThan(DRAIN_SECONDS + LAME_DUCK_SECONDS);
});

it('the unit and the compose file set what the paths of operators need', () => {
  const environments = [
    unit.get('Environment')?.join(' ') ?? '',
    Object.keys(compose.services.kalends.environment).join(' '),
  ];
  for (const environment of environments) {
    expect(environment).toContain('KALENDS_ADMIN_TOKEN_FILE');
    expect(environment).toContain('KALENDS_METRICS_TOKEN_FILE');
  }
});

it('the unit waits for the end of a process, and keeps secrets out of its environment', () => {
  expect(Number(unit.get('TimeoutStopSec')?.[0])).toBeGreaterThan(DRAIN_SECONDS + LAME_DUCK_SECONDS);
  const credentials = unit.get('LoadCredential')?.map((line) => line.split(':')[0]);
  const files = unit
    .get('Environment')
    ?.flatMap((line) => [...line.matchAll(/_FILE=%d\/(\S+)/g)].map(([, name]) => name));
  expect(files).toEqual(credentials);
});

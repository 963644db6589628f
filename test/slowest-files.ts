import type { Reporter, TestModule } from 'vitest/node';

const LISTED = 10;

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1).padStart(7)} s`;

/** Returns the time a file takes in its worker: imports, hooks and tests. */
function costOf(module: TestModule): number {
  const { prepareDuration, environmentSetupDuration, collectDuration, setupDuration, duration } = module.diagnostic();
  return prepareDuration + environmentSetupDuration + collectDuration + setupDuration + duration;
}

/** Prints the ten slowest files at the end of a run of many. */
export const slowestFiles: Reporter = {
  onTestRunEnd(modules) {
    if (modules.length <= LISTED) return;
    const costs = modules
      .map((module) => ({ path: module.relativeModuleId, ms: costOf(module) }))
      .sort((a, b) => b.ms - a.ms);
    const all = costs.reduce((sum, { ms }) => sum + ms, 0);
    const lines = costs.slice(0, LISTED).map(({ path, ms }) => `${seconds(ms)}  ${path}\n`);
    process.stdout.write(
      `\nThe slowest of ${costs.length} files (${seconds(all).trim()} in all):\n${lines.join('')}\n`,
    );
  },
};

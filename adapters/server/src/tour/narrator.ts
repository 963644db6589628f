/** Tells the story on standard output and counts the checks. */
export interface Narrator {
  chapter(title: string): void;
  say(text: string): void;
  /** Checks a condition. @throws TourFailure with `shown` when it does not hold */
  check(condition: boolean, what: string, shown?: unknown): void;
  readonly checks: number;
}

/** Reports a step of the tour with another result than promised. */
export class TourFailure extends Error {
  constructor(what: string, shown: unknown) {
    super(shown === undefined ? what : `${what}\n  got: ${JSON.stringify(shown, null, 2)?.slice(0, 4000)}`);
    this.name = 'TourFailure';
  }
}

export function createNarrator(stdout: NodeJS.WritableStream): Narrator {
  let checks = 0;
  return {
    chapter: (title) => stdout.write(`\n${title}\n${'-'.repeat(title.length)}\n`),
    say: (text) => stdout.write(`${text}\n`),
    check(condition, what, shown) {
      if (!condition) throw new TourFailure(what, shown);
      checks += 1;
      stdout.write(`  ok  ${what}\n`);
    },
    get checks() {
      return checks;
    },
  };
}

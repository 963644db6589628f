/** Tells the story on standard output and counts what was checked. */
export interface Narrator {
  chapter(title: string): void;
  say(text: string): void;
  /** @throws TourFailure when the condition does not hold; `shown` is printed with it */
  check(condition: boolean, what: string, shown?: unknown): void;
  readonly checks: number;
}

/** A step of the tour that did not come out as promised. */
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

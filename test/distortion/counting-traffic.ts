import { nextTurn } from 'kalends/runtime';
import type { Intercept } from '../regression/intercepted-world.ts';

/** Turns of the event loop without a request after which the engine rests. */
const QUIET_TURNS = 8;

/** Counts requests under way, so that time does not pass while a provider answers. */
export function countingTraffic(intercept: Intercept) {
  let underWay = 0;
  return {
    intercept: (async (request, pass) => {
      underWay += 1;
      try {
        return await intercept(request, pass);
      } finally {
        underWay -= 1;
      }
    }) satisfies Intercept,
    async quiet() {
      for (let turns = 0; turns < QUIET_TURNS; turns = underWay === 0 ? turns + 1 : 0) await nextTurn();
    },
  };
}

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMcpWorld, type McpClient, type McpWorld } from './mcp-world.ts';
import { PEOPLE_OF_EDITS, playSeries } from './recurring-edits.ts';

/* 300 edits: ten series at each provider, in five zones on both halves of the earth, through both changes of the clocks of a year. */
const SERIES = 10;

let world: McpWorld;
let agent: McpClient;
beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
});
afterAll(() => world.close());

it.each(PEOPLE_OF_EDITS)('edits no other occurrence and moves none to another day, at %s', {
  timeout: 600_000,
}, async (person) => {
  let edits = 0;
  for (let index = 0; index < SERIES; index += 1) edits += await playSeries(world, agent, person, index);
  expect(edits).toBe(100);
});

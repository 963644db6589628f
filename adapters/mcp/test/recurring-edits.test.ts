import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMcpWorld, type McpClient, type McpWorld } from './mcp-world.ts';
import { PEOPLE_OF_EDITS, playSeries } from './recurring-edits.ts';

/* recurring-edits.long.test.ts plays ten series at each provider. */
let world: McpWorld;
let agent: McpClient;
beforeAll(async () => {
  world = await createMcpWorld();
  agent = await world.connect(world.handler());
});
afterAll(() => world.close());

it.each(PEOPLE_OF_EDITS)('edits the occurrences of a series that are meant, at %s', async (person) => {
  expect(await playSeries(world, agent, person, 0)).toBe(10);
});

import { expect, test } from 'vitest';
import { propertiesOf, propertyOf } from '../../src/icalendar/text/component.ts';
import { readContentLine } from '../../src/icalendar/text/content-line.ts';

test('the properties of an event are looked through once, whatever number of names is asked for', () => {
  let looks = 0;
  const properties = Array.from({ length: 1_000 }, (_, index) => {
    const property = readContentLine(`X-${index % 500}:${index}`);
    if (property === undefined) throw new Error('the line is a property');
    return Object.defineProperty({ ...property }, 'name', {
      get() {
        looks += 1;
        return property.name;
      },
    });
  });
  const component = { name: 'VEVENT', properties, components: [] };
  for (let index = 0; index < 500; index += 1) {
    expect(propertiesOf(component, `x-${index}`).map(({ raw }) => raw)).toEqual([`${index}`, `${index + 500}`]);
    expect(propertyOf(component, `x-${index}`)?.raw).toBe(`${index}`);
  }
  expect(propertyOf(component, 'x-500')).toBeUndefined();
  expect(looks).toBeLessThanOrEqual(4 * properties.length);
});

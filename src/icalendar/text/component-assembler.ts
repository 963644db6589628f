import { ICalendarError } from '../icalendar-error.ts';
import type { IcsComponent } from './component.ts';
import { type IcsProperty, readContentLine } from './content-line.ts';

/** Deepest nesting of components; RFC 5545 has three levels. */
const DEEPEST = 8;
/** Most lines of one component, those of components in it apart, and those that are no property. */
const MOST_LINES = 100_000;
/** Most lines that are no property which one component keeps; further ones are left out. */
const MOST_UNREADABLE = 1_000;

interface OpenComponent {
  readonly name: string;
  readonly properties: IcsProperty[];
  readonly components: IcsComponent[];
  /** Number of its properties that are lines which cannot be read. */
  unreadable: number;
}

/** Events of an assembler. */
export interface AssemblerEvents {
  /** A component has ended. Returns whether it becomes part of the component around it. */
  ended(component: IcsComponent, depth: number): boolean;
  /**
   * A line that is no property, or has nowhere to stand: the number counts unfolded lines from 1. A component keeps the first thousand of the
   * former all the same.
   */
  unreadable(lineNumber: number, rule: string): void;
}

/** Assembles components from unfolded lines, one by one. */
export interface ComponentAssembler {
  /** @throws ICalendarError for a text that is nested too deep or has too many lines in one component */
  add(line: string): void;
  /** Ends the components that are still open: the text was cut off. */
  finish(): void;
}

/** Creates an assembler. An END without its BEGIN is passed over; one that names an outer component ends the inner ones. */
export function createComponentAssembler(events: AssemblerEvents): ComponentAssembler {
  const open: OpenComponent[] = [];
  let lineNumber = 0;

  function begin(name: string): void {
    if (open.length >= DEEPEST) throw new ICalendarError('BEGIN', `components may be nested ${DEEPEST} deep at most`);
    open.push({ name, properties: [], components: [], unreadable: 0 });
  }

  function end(name: string): void {
    const at = open.findLastIndex((component) => component.name === name);
    if (at === -1) events.unreadable(lineNumber, 'END has no BEGIN');
    else while (open.length > at) close();
  }

  function close(): void {
    const top = open.pop();
    if (top === undefined) return;
    const { name, properties, components } = top;
    const component = { name, properties, components };
    if (events.ended(component, open.length)) open.at(-1)?.components.push(component);
  }

  function addProperty(line: string): void {
    const top = open.at(-1);
    if (top === undefined) {
      events.unreadable(lineNumber, 'a line stands outside of any component');
      return;
    }
    const property = readContentLine(line);
    if (property === undefined) keepUnreadable(top, line);
    else if (top.properties.length - top.unreadable < MOST_LINES) top.properties.push(property);
    else throw new ICalendarError(top.name, `a component may have ${MOST_LINES} lines at most`);
  }

  function keepUnreadable(component: OpenComponent, line: string): void {
    events.unreadable(lineNumber, 'a line is no property: it needs a name, a colon and a value');
    if (component.unreadable === MOST_UNREADABLE) return;
    component.unreadable += 1;
    component.properties.push({ name: '', parameters: {}, raw: '', text: '', line });
  }

  return {
    add(line) {
      lineNumber += 1;
      if (line.trim() === '') return;
      const [, verb, name = ''] = /^\s{0,8}(BEGIN|END)[ \t]?:[ \t]{0,8}([A-Za-z0-9-]{1,64})\s*$/i.exec(line) ?? [];
      if (verb === undefined) addProperty(line);
      else if (verb.toUpperCase() === 'BEGIN') begin(name.toUpperCase());
      else end(name.toUpperCase());
    },
    finish() {
      while (open.length > 0) close();
    },
  };
}

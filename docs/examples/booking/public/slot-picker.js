// A week of days, the times of the chosen day, and the zone in which they are shown. Buttons alone, so keyboards need no more.
import { addDays, clock, dateAt, dayName, shortDay, slotName } from './times.js';

/** @typedef {{ startDateTime: string, endDateTime: string }} Slot */

const HTML = `
  <label class="field">Times in <select class="zone"></select></label>
  <div class="week">
    <button type="button" class="earlier" aria-label="Earlier days">‹</button>
    <fieldset class="days"><legend class="hidden">Day</legend></fieldset>
    <button type="button" class="later" aria-label="Later days">›</button>
  </div>
  <h3 class="day-title" aria-live="polite"></h3>
  <div class="times"></div>`;
const DAYS = 7;

/**
 * Shows a picker in an element.
 * @param {HTMLElement} element
 * @param {{
 *   loadSlots(window: { startDateTime: string, endDateTime: string, timeZone: string }): Promise<Slot[]>,
 *   onChoose(slot: Slot): unknown,
 *   onError(error: unknown): void,
 * }} options
 */
export function createSlotPicker(element, { loadSlots, onChoose, onError }) {
  element.innerHTML = HTML;
  const find = (/** @type {string} */ name) => /** @type {HTMLElement} */ (element.querySelector(name));
  const zone = /** @type {HTMLSelectElement} */ (find('.zone'));
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const name of new Set([own, ...Intl.supportedValuesOf('timeZone'), 'UTC'])) zone.add(new Option(name, name));
  zone.value = own;

  let first = dateAt(Date.now(), own);
  /** @type {string | undefined} */
  let chosen;
  /** Answers of an earlier week may arrive after those of a later one. */
  let latest = 0;

  /** Reads the week that begins at `first`, and shows the chosen day, or the first one that has times. */
  async function show() {
    const mine = ++latest;
    element.setAttribute('aria-busy', 'true');
    try {
      const timeZone = zone.value;
      const dates = Array.from({ length: DAYS }, (_, index) => addDays(first, index));
      const startDateTime = `${first}T00:00:00`;
      const slots = await loadSlots({ startDateTime, endDateTime: `${addDays(first, DAYS)}T00:00:00`, timeZone });
      if (mine !== latest) return;
      /** @type {Map<string, Slot[]>} */
      const byDate = new Map(dates.map((date) => [date, []]));
      for (const slot of slots) byDate.get(dateAt(Date.parse(slot.startDateTime), timeZone))?.push(slot);
      if (!byDate.get(chosen ?? '')?.length) chosen = dates.find((date) => byDate.get(date)?.length);
      showDays(byDate);
    } catch (error) {
      if (mine === latest) onError(error);
    } finally {
      if (mine === latest) element.removeAttribute('aria-busy');
    }
  }

  /** @param {Map<string, Slot[]>} byDate */
  function showDays(byDate) {
    const days = find('.days');
    const hadFocus = days.contains(document.activeElement);
    days.querySelectorAll('button').forEach((button) => {
      button.remove();
    });
    for (const [date, slots] of byDate) {
      const [weekday = '', day = ''] = shortDay(date);
      const button = document.createElement('button');
      button.type = 'button';
      button.disabled = slots.length === 0;
      button.setAttribute('aria-pressed', String(date === chosen));
      button.append(textIn('small', `${weekday} `), day, textIn('span', `, ${slots.length} times`, 'hidden'));
      button.addEventListener('click', () => {
        chosen = date;
        showDays(byDate);
      });
      days.append(button);
      if (hadFocus && date === chosen) button.focus();
    }
    const isThisWeek = first <= dateAt(Date.now(), zone.value);
    /** @type {HTMLButtonElement} */ (find('.earlier')).disabled = isThisWeek;
    find('.day-title').textContent = chosen === undefined ? 'No time is free in these days' : dayName(chosen);
    find('.times').replaceChildren(...slotButtons(byDate.get(chosen ?? '') ?? [], zone.value, onChoose));
  }

  zone.addEventListener('change', () => {
    chosen = undefined;
    void show();
  });
  for (const [name, days] of /** @type {const} */ ([
    ['.earlier', -DAYS],
    ['.later', DAYS],
  ])) {
    find(name).addEventListener('click', () => {
      first = addDays(first, days);
      void show();
    });
  }
  return {
    show,
    get timeZone() {
      return zone.value;
    },
  };
}

/** @param {string} tag @param {string} text @param {string} [className] */
const textIn = (tag, text, className = '') =>
  Object.assign(document.createElement(tag), { textContent: text, className });

/**
 * Returns a button for each slot.
 * @param {Slot[]} slots
 * @param {string} timeZone
 * @param {(slot: Slot) => unknown} onChoose
 * @param {boolean} [hasDay] whether the day is named too
 */
export function slotButtons(slots, timeZone, onChoose, hasDay = false) {
  return slots.map((slot) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'time';
    button.textContent = hasDay ? slotName(slot, timeZone) : clock(slot.startDateTime, timeZone);
    button.addEventListener('click', () => onChoose(slot));
    return button;
  });
}

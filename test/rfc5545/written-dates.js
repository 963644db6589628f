const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Reads dates as RFC 5545 writes them, `1997 Sep 2-5,9 Oct 1 1998 Jan 2`, as `YYYY-MM-DD` texts.
 * @param {string} text
 * @returns {readonly string[]}
 */
export function writtenDates(text) {
  let year = '';
  let month = '';
  return text.split(/[\s;]+/).flatMap((word) => {
    if (/^\d{4}$/.test(word)) {
      year = word;
      return [];
    }
    const named = MONTHS.indexOf(word);
    if (named >= 0) {
      month = String(named + 1).padStart(2, '0');
      return [];
    }
    return daysOf(word).map((day) => `${year}-${month}-${String(day).padStart(2, '0')}`);
  });
}

/**
 * @param {string} word
 * @returns {readonly number[]}
 */
function daysOf(word) {
  return word.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

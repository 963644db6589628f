/** Characters at the end in which the text must close its calendar; behind that some programs print more. */
const LONGEST_END = 10_000;

/**
 * Returns whether a text goes on to the end of its last calendar. One that was cut off reads as a shorter event or calendar: what is
 * missing must not count as deleted, and the rest must not be written back.
 */
export function isWholeText(text: string): boolean {
  return /^END[ \t]?:[ \t]{0,8}VCALENDAR[ \t]*\r?$(?![\s\S]*^BEGIN:)/im.test(text.slice(-LONGEST_END));
}

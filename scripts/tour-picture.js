const LINE_HEIGHT = 18;
const CHARACTER_WIDTH = 7.3;
const MARGIN = 18;
const BAR = 34;
/** Longer lines end in an ellipsis. */
const COLUMNS = 80;

/** The chapters in the picture, by their titles after the provider's name, in two columns of about the same length. */
const LEFT = [/^PROVIDER_A: events$/, /^PROVIDER_A: free\/busy$/];
const RIGHT = [/^PROVIDER_A: calendars$/, /^PROVIDER_A: a series$/, /^PROVIDER_B: webhooks$/];

/**
 * Draws chapters of the tour as a terminal shows them.
 * @param output what `npm run tour` has printed
 * @returns an SVG image
 * @throws Error when the tour has not succeeded, or has no such chapter
 */
export function tourPicture(output) {
  const chapters = output
    .trim()
    .split('\n\n')
    .map((text) => text.split('\n'));
  const [end] = chapters.at(-1);
  if (!end.startsWith('The tour is over')) throw new Error(`the tour has not succeeded: ${end}`);
  const left = ['$ npm run tour', '…', ...chosen(chapters, LEFT)];
  const right = [...chosen(chapters, RIGHT), '…', '', end];
  const rows = Math.max(left.length, right.length);
  const column = MARGIN + COLUMNS * CHARACTER_WIDTH;
  const [width, height] = [2 * column + MARGIN, BAR + rows * LINE_HEIGHT + MARGIN];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" xml:space="preserve" role="img" aria-label="npm run tour">
<style>
  text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #c9d1d9 }
  .title { fill: #ffffff; font-weight: 700 } .ok { fill: #3fb950 } .shown { fill: #79c0ff }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>
<circle cx="20" cy="17" r="5" fill="#f85149"/><circle cx="38" cy="17" r="5" fill="#d29922"/><circle cx="56" cy="17" r="5" fill="#3fb950"/>
${drawn(left, MARGIN)}
${drawn(right, MARGIN + column)}
</svg>
`;
}

/** Returns the lines of the picture that do not change with the day on which the tour is played. */
export function lastingLines(svg) {
  const lines = [...svg.matchAll(/<text .*?>(.*)<\/text>/g)].map(([, line]) => line.replace(/<.*?>/g, ''));
  return lines.filter((line) => !/^ {2}\d{4}-\d\d-\d\dT/.test(line));
}

function chosen(chapters, titles) {
  return titles.flatMap((title) => {
    const chapter = chapters.find(([first]) => title.test(first));
    if (chapter === undefined) throw new Error(`the tour has no chapter ${title}`);
    return ['', ...chapter];
  });
}

function drawn(lines, x) {
  return lines
    .map((line, index) => [line, BAR + (index + 1) * LINE_HEIGHT])
    .filter(([line]) => line !== '')
    .map(([line, y]) => `<text x="${x}" y="${y}"${look(line)}>${marked(shortened(line))}</text>`)
    .join('\n');
}

function look(line) {
  if (/^(\$|PROVIDER_|The tour)/.test(line)) return ' class="title"';
  return /^ {2}ok /.test(line) ? '' : ' class="shown"';
}

const shortened = (line) => (line.length > COLUMNS - 2 ? `${line.slice(0, COLUMNS - 3)}…` : line);

const marked = (line) => {
  const text = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return text.replace(/^ {2}ok/, '<tspan class="ok">  ok</tspan>');
};

const OPTIONAL_MEMBER = /^ +(readonly )?\w+\?[:(]/;

/**
 * Returns the differences of two texts of `publicTypes`, each as `{ isBreak, text }`. New exports, new declarations and new optional
 * members are additions. Any other difference counts as a break: whether a changed type is compatible, a person decides.
 */
export function typeChanges(before, after, name) {
  const [one, other] = [blocksOf(before), blocksOf(after)];
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((head) => {
    const place = `${name}: ${head}`;
    if (!other.has(head)) return [{ isBreak: true, text: `${place} is gone` }];
    if (!one.has(head)) return [{ isBreak: false, text: `${place} is new` }];
    return lineChanges(one.get(head), other.get(head), place, head.startsWith('entry '));
  });
}

/** Blocks by what they declare: `interface Page`, `entry kalends`. */
function blocksOf(text) {
  const blocks = new Map();
  for (const block of text.trim().split(/\n\n(?=\S)/)) {
    const [head = ''] = /^(?:entry \S+|(?:abstract )?\w+ \w+)/.exec(block) ?? [];
    const count = [...blocks.keys()].filter((key) => key === head || key.startsWith(`${head} (`)).length;
    blocks.set(count === 0 ? head : `${head} (${count + 1})`, block.split('\n'));
  }
  return blocks;
}

function lineChanges(before, after, place, isEntry) {
  const left = [...after];
  const gone = before.filter((line) => {
    const index = left.indexOf(line);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
  if (gone.length === 0 && left.length === 0) return [];
  const isAddition = gone.length === 0 && left.every((line) => isEntry || OPTIONAL_MEMBER.test(line));
  const lines = [...gone.map((line) => `- ${line.trim()}`), ...left.map((line) => `+ ${line.trim()}`)];
  return [{ isBreak: !isAddition, text: `${place}\n${lines.map((line) => `      ${line}`).join('\n')}` }];
}

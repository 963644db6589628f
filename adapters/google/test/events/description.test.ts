import { describe, expect, test } from 'vitest';
import { readDescription } from '../../src/events/description.ts';

describe('a description without markup', () => {
  test.each([
    ['', ''],
    ['Tom & Jerry', 'Tom &amp; Jerry'],
    ['a < b > c', 'a &lt; b &gt; c'],
    ['Ann <ann@x.example>', 'Ann &lt;ann@x.example&gt;'],
    ['a <word> b', 'a &lt;word&gt; b'],
    ['one\ntwo\r\nthree', 'one<br>two<br>three'],
    ['AT&T; &c', 'AT&amp;T; &amp;c'],
    ['<bold>', '&lt;bold&gt;'],
    ['<a@b.example>', '&lt;a@b.example&gt;'],
  ])('%j is its own text, and %j as HTML', (text, html) => {
    expect(readDescription(text, 'text')).toBe(text);
    expect(readDescription(text, 'html')).toBe(html);
  });
});

describe('a description with markup', () => {
  test.each([
    ['<b>Bring</b> cake', 'Bring cake'],
    ['one<br>two<br/>three<BR />four', 'one\ntwo\nthree\nfour'],
    ['Tom &amp; Jerry &#39;s', "Tom & Jerry 's"],
    ['<p>One</p><p>Two</p>', 'One\n\nTwo'],
    ['<ul><li>tea</li><li>cake</li></ul>', '- tea\n- cake'],
    ['<ol><li>tea</li><li>cake</li></ol>', ' 1. tea\n 2. cake'],
    ['<h1>Plan</h1>', 'Plan'],
    ['<a href="https://x.example/?a=1&amp;b=2">Here</a>', 'Here [https://x.example/?a=1&b=2]'],
    ['<a href="https://x.example">https://x.example</a>', 'https://x.example'],
    ['<html-blob>one\ntwo</html-blob>', 'one\ntwo'],
    ['<script>alert(1)</script><style>p{}</style>a<img src="https://x.example" alt="b"><br>c', 'a\nc'],
    ['a &lt;b&gt; c', 'a <b> c'],
  ])('%j is its own HTML, and %j as text', (html, text) => {
    expect(readDescription(html, 'html')).toBe(html);
    expect(readDescription(html, 'text')).toBe(text);
  });

  test('of any depth and length is converted without an overflow, up to 50,000 characters', () => {
    for (const part of ['<b>', '<div>', '<ul><li>', '<table><tr><td>', '<blockquote>', '<br>', '<br>\n', '\n']) {
      const html = `<b>${part.repeat(100_000)}`;
      expect(readDescription(html, 'html') === html).toBe(true);
      expect(readDescription(html, 'text').length).toBeLessThanOrEqual(50_000);
    }
  });
});

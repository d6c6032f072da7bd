import { createDocument } from '@mixmark-io/domino'
import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const convert = (text: string, options = {}) => runOperation('text.html-to-text', { text, ...options })
const textOf = async (html: string, options = {}) => (await convert(html, options)).text

const PAGE = `<html><head><title> A  page </title><style>p{}</style></head><body>
<nav><a href="/home">Home</a></nav>
<main><h1>Head &amp; tail</h1><p>One <b>two</b>
three.<br>Four <img src="x.png" alt="pic"> <a href="b?x=1&amp;y=2">link</a></p>
<ul><li>a<li>b<ol><li>c</ol></ul><script>bad()</script>
<table><tr><th>k</th><th>v</th></tr><tr><td>1</td><td>2 | 3</td></tr></table>
<pre>  code
  here</pre></main></body></html>`

test('extracts the visible text of a page', async () => {
  const answer = await convert(PAGE, {
    baseUrl: 'https://x.org/a/',
    selectors: { include: ['main'], exclude: ['pre'] },
  })
  expect(answer.text).toContain('Head & tail\n\nOne two three.\nFour pic link [https://x.org/a/b?x=1&y=2]')
  expect(answer.text).toMatch(/k\s+v\n1\s+2 \| 3/)
  expect(answer.text).not.toMatch(/bad|Home|code/)
  expect(answer.title).toBe('A page')
  expect(answer.links).toEqual([{ text: 'link', url: 'https://x.org/a/b?x=1&y=2' }])
})

test('writes Markdown', async () => {
  const text = await textOf(PAGE, { mode: 'markdown', selectors: { include: ['main'], exclude: [] } })
  expect(text).toContain('# Head & tail')
  expect(text).toContain('One **two** three.')
  expect(text).toContain('[link](b?x=1&y=2)')
  expect(text).toMatch(/\| k +\| v +\|\n\| -+ \| -+ \|\n\| 1 +\| 2 \\\| 3 +\|/)
  expect(text).toContain('```\n  code\n  here\n```')
})

test('knows a link that holds only a picture by what the picture shows', async () => {
  const html =
    '<a href="https://a.de/"><img alt="Back to top" src="x.png"></a><a href="https://b.de/">B<img alt="b"></a>'
  const { links } = await convert(html)
  expect(links).toEqual([
    { text: 'Back to top', url: 'https://a.de/' },
    { text: 'B', url: 'https://b.de/' },
  ])
})

test('writes links as footnotes, inline or not at all', async () => {
  const html = '<p><a href="http://a.de/x">one</a> <a href="http://b.de/">two</a></p>'
  expect(await textOf(html)).toBe('one [http://a.de/x] two [http://b.de/]')
  expect(await textOf(html, { links: 'ignore' })).toBe('one two')
  expect(await textOf(html, { links: 'footnote' })).toBe('one[1] two[2]\n\n[1] http://a.de/x\n[2] http://b.de/')
  expect(await textOf(html, { links: 'footnote', mode: 'markdown' })).toContain('[1]: http://a.de/x')
  expect(await textOf(html, { links: 'ignore', mode: 'markdown' })).toBe('one two')
})

test('wraps lines, and leaves images out', async () => {
  const text = await textOf(`<p>${'word '.repeat(30)}<img alt="x"></p>`, { wordwrap: 20, images: 'ignore' })
  expect(Math.max(...text!.split('\n').map(line => line.length))).toBeLessThanOrEqual(20)
  expect(text).not.toContain('x')
})

test('drops links that would run code', async () => {
  const { text, links } = await convert('<a href=" JaVaScript:alert(1)">x</a><a href="data:text/html,x">y</a>', {
    mode: 'markdown',
  })
  expect(text).toBe('xy')
  expect(links).toEqual([])
})

test('rejects excessive nesting and invalid selectors', async () => {
  await expect(convert('<div>'.repeat(100_000))).rejects.toMatchObject({ code: 'HTML_PARSE_FAILED' })
  await expect(convert('<p>', { selectors: { include: ['p['], exclude: [] } })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { field: 'selectors.include' },
  })
})

test.each(['plain', 'markdown'])('handles deep tables, broken tags and empty input in %s', async mode => {
  const table = `${'<table><tr><td>'.repeat(100)}deep${'</td></tr></table>'.repeat(100)}`
  expect(await textOf(table, { mode })).toContain('deep')
  expect(await textOf('</p><b><i></b>x</i><<>&', { mode })).toContain('x')
  expect(await textOf('', { mode })).toBe('')
  expect(await textOf('\0<p\0>a', { mode })).toBeDefined()
})

/** What a page or rendered Markdown shows: blocks are parted by spaces. */
function readShownText(html: string): string {
  const parted = html.replace(
    /<(?:br|\/?(?:p|li|ul|ol|d[ltd]|t[dhr]|table|h[1-6]|pre|blockquote|div|summary|details|figcaption))\b[^>]*>/g,
    ' ',
  )
  return createDocument(parted).body.textContent.replace(/\s+/g, ' ').trim()
}

test.each([
  '<p>a &lt;b&gt; &amp;copy; &copy; &amp;#35; AT&amp;T 1 &lt; 2 &lt;!-- c --&gt;</p>',
  '<p>*a* _b_ snake_case __c__ `d` [x](y) ~~no~~ ~a~ <i>x</i>y <b>(z)</b>b back\\</p>',
  '<p># a</p><p>1. b</p><p>2) c</p><p>- d</p><p>+ e</p><p>&gt; f<br>---<br>===</p><p><span>1</span>. g</p>',
  '<h2># x #</h2><p>| a |<br>|---|<br>| b |</p><p>wow!<a href="http://a.de/">link</a></p>',
  '<details><summary>Sum</summary>body</details><p>after</p><dl><dt>Term</dt><dd>one</dd><dd>two</dd></dl>',
  '<figure><img alt="*pic*" src="x"><figcaption>Cap</figcaption></figure><p>mc<sup>2</sup> H<sub>2</sub>O</p>',
  '<ul><li>a<ol><li>b<ul><li>c<p>d</p></li></ul></li></ol></li><li># e</li></ul><a href="/x"><h3>Card</h3><p>f</p></a>',
  '<table><caption>Cap</caption><tr><th>a||b</th><th>c</th></tr><tr><td><code>x|y</code></td><td># 1<br>2</td></tr></table>',
  '<table><thead><tr><th>a<th>b</tr><tr><th>c<th>d</tr></thead><tr><td><h3>e</h3><p>f</p><td>g</table>',
  '<table><tr><td><pre>a\n\n*b* | c</pre></td><td onclick="x()"><ul><li>d</li></ul></td></tr></table>',
])('writes Markdown that shows the same text when rendered: %s', async html => {
  const text = (await textOf(html, { mode: 'markdown' }))!
  expect(text).not.toMatch(/onclick|class=/)
  const rendered = await runOperation('text.markdown-to-html', { text, html: 'allow', unsafe: true })
  expect(readShownText(rendered.html as string)).toBe(readShownText(html.replace(/<img alt="([^"]*)"[^>]*>/g, '$1')))
})

test('marks terms, raised digits and code in Markdown', async () => {
  const text = await textOf('<dl><dt>T</dt><dd>d</dd></dl><p>x<sup>2</sup></p><pre>a<br>b <code>c</code></pre>', {
    mode: 'markdown',
  })
  expect(text).toBe('**T**\n\n-   d\n\nx<sup>2</sup>\n\n```\na\nb c\n```')
})

test('writes long tables, whose rows are each looked at once', async () => {
  const rows = Array.from({ length: 5_000 }, (_, row) => `<tr><td>${row}<td>x</tr>`)
  const { output, text } = await convert(`<table><tr><th>n<th>c</tr>${rows.join('')}</table>`, { mode: 'markdown' })
  expect(output).toBeUndefined()
  expect(text!.trim().split('\n')).toHaveLength(5_002)
})

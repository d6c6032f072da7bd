import { createDocument } from '@mixmark-io/domino'
import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const clean = (text: string, options = {}) => runOperation('text.sanitize-html', { text, ...options })
const htmlOf = async (text: string, options = {}) => (await clean(text, options)).html as string

const ATTACKS = [
  '<script>x()</script>',
  '<img src=x onerror=x()>',
  '<svg/onload=x()>',
  '<svg><script>x()</script></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=x()&gt;">',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=x()>',
  '<noscript><p title="</noscript><img src=x onerror=x()>">',
  '<a href="jav&#x09;ascript:x()">a</a>',
  '<a href="&#1;javascript:x()">a</a>',
  '<a href=" javascript:x()">a</a>',
  '<a href="JaVaScRiPt:x()">a</a>',
  '<a href="vbscript:x">a</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD4=">a</a>',
  '<a href="//evil.org">a</a>',
  '<iframe srcdoc="<script>x()</script>"></iframe>',
  '<iframe src="javascript:x()"></iframe>',
  '<object data="javascript:x()"></object><embed src="javascript:x()">',
  '<style>@import "javascript:x()"</style>',
  '<div style="background:url(javascript:x())">a</div>',
  '<div style="width:expression(x())">a</div>',
  '<meta http-equiv="refresh" content="0;url=javascript:x()">',
  '<base href="javascript:x()//">',
  '<link rel="stylesheet" href="javascript:x()">',
  '<form action="javascript:x()"><button formaction="javascript:x()">a</button></form>',
  '<input autofocus onfocus=x()>',
  '<details open ontoggle=x()>',
  '<video><source onerror="x()"></video>',
  '<template><script>x()</script></template>',
  '<<script>script>x()</script>',
  '<scr<script>ipt>x()</scr</script>ipt>',
  '<!--><img src=x onerror=x()>-->',
  '<!-- --!><img src=x onerror=x()> -->',
  '<![CDATA[<img src=x onerror=x()>]]>',
  '<title><img src="</title><img src=x onerror=x()>"></title>',
  '<textarea><img src="</textarea><img src=x onerror=x()>"></textarea>',
  '<xmp><p title="</xmp><svg/onload=x()>">',
  '<p id="a" name="location">a</p>',
  '<a href="https://x.org" onclick=x() target=_blank>a</a>',
  '<table background="javascript:x()"><tr><td>a</td></tr></table>',
  '<img src="x" srcset="javascript:x() 1x">',
  '<plaintext><script>x()</script>',
  '<p/onclick=x()/>a',
  `<a href="java\nscript:x()">a</a>`,
  '<IMG SRC=`javascript:x()`>',
]

test.each(ATTACKS)('leaves nothing executable of %s', async attack => {
  for (const profile of ['strict', 'basic', 'rich', 'email']) {
    const html = await htmlOf(attack, { profile, allowStyles: true })
    const { body } = createDocument(html, true)
    const elements = Array.from(body.querySelectorAll('*'))
    for (const { tagName, attributes } of elements) {
      expect(tagName).not.toMatch(
        /^(?:SCRIPT|STYLE|IFRAME|OBJECT|EMBED|SVG|MATH|FORM|INPUT|BUTTON|META|BASE|LINK|TEMPLATE|NOSCRIPT|TITLE|TEXTAREA)$/i,
      )
      for (const { name, value } of Array.from(attributes)) {
        expect(name).not.toMatch(/^(?:on|srcdoc|srcset|action|formaction|id$|name$)/i)
        expect(value.replace(/[\0-\x20]/g, '')).not.toMatch(/^(?:javascript|vbscript|data):|url\(|expression/i)
      }
    }
    expect(await htmlOf(html, { profile, allowStyles: true })).toBe(html)
  }
})

test('keeps what each profile allows', async () => {
  const text = '<h1>a</h1><p class="c">b <a href="mailto:x@y.de">m</a></p><table width="5"><tr><td>t</td></tr></table>'
  expect(await htmlOf(text, { profile: 'strict' })).toBe('a<p>b m</p>t')
  expect(await htmlOf(text)).toBe('<h1>a</h1><p>b <a href="mailto:x@y.de" rel="nofollow noopener">m</a></p>t')
  expect(await htmlOf(text, { profile: 'rich' })).toContain('<p class="c">')
  expect(await htmlOf(text, { profile: 'email' })).toContain('<table width="5">')
})

test('keeps harmless styles on request', async () => {
  const text = '<span style="color: red; position: fixed; background: url(x)">a</span>'
  expect(await htmlOf(text, { profile: 'rich' })).toBe('<span>a</span>')
  expect(await htmlOf(text, { profile: 'rich', allowStyles: true })).toBe('<span style="color:red">a</span>')
})

test('allows more on request', async () => {
  const options = {
    allowTags: ['video'],
    allowAttributes: { video: ['src', 'controls'] },
    allowSchemes: ['https', 'ftp'],
    linkRel: '',
  }
  expect(await htmlOf('<video src="https://x.org/a" controls></video>', options)).toContain(
    '<video src="https://x.org/a"',
  )
  expect(await htmlOf('<a href="ftp://x">a</a><a href="http://x">b</a>', options)).toBe(
    '<a href="ftp://x">a</a><a>b</a>',
  )
})

test('allows a tag with the attributes that it is of use by', async () => {
  const strict = { profile: 'strict', allowTags: ['A'] }
  const text = '<h1>t</h1><a href="https://x.org" onclick="x" class="c">a</a><a href="javascript:x">b</a>'
  expect(await htmlOf(text, strict)).toBe(
    't<a href="https://x.org" rel="nofollow noopener">a</a><a rel="nofollow noopener">b</a>',
  )
  expect(await clean(text, strict)).toMatchObject({ removed: { attributes: { onclick: 1, class: 1, href: 1 } } })
})

test('keeps comments on request, without characters that could end them', async () => {
  const text = 'a<!-- b "<i>" --!> c --><b>d</b>'
  expect(await htmlOf(text)).toBe('a c --&gt;<b>d</b>')
  expect(await htmlOf(text, { stripComments: false })).toBe('a<!-- b i --> c --&gt;<b>d</b>')
})

test('reports what it removed', async () => {
  const { removed } = await clean(
    '<script>x</script><script>y</script><p onclick="x" class="y"><a href="javascript:x">a</a><!-- c -->',
  )
  expect(removed).toEqual({
    tags: { script: 2, '!--': 1 },
    attributes: { onclick: 1, class: 1, href: 1 },
    urls: ['javascript:x'],
  })
})

test.each([
  [{ allowTags: ['script'] }, 'allowTags'],
  [{ allowTags: ['SVG'] }, 'allowTags'],
  [{ allowAttributes: { '*': ['onclick'] } }, 'allowAttributes'],
  [{ allowAttributes: { a: ['style'] } }, 'allowAttributes'],
  [{ allowSchemes: ['javascript'] }, 'allowSchemes'],
])('rejects %j', async (options, field) => {
  await expect(clean('a', options)).rejects.toMatchObject({ code: 'INVALID_PARAM', hints: { field } })
})

test('rejects excessive nesting', async () => {
  await expect(clean('<b>'.repeat(50_000))).rejects.toMatchObject({ code: 'HTML_PARSE_FAILED' })
})

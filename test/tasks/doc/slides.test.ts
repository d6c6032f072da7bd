import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { changeZip } from '../../support/data/change-zip.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
let deck: Buffer
beforeAll(async () => {
  pools = await sharedPools()
  await using folder = await freshFolder()
  const path = join(folder.path, 'deck.pptx')
  execFileSync('pandoc', ['-f', 'markdown', '-t', 'pptx', '-o', path], {
    input: '# Plan\n\n- First\n    - Inner\n- Second\n',
  })
  deck = readFileSync(path)
})
afterAll(() => pools[Symbol.asyncDispose]())

const SLIDE = 'ppt/slides/slide1.xml'
const LAYOUT = 'ppt/slideLayouts/slideLayout2.xml'

async function read(file: Buffer): Promise<string> {
  const { bytes, result } = await runJob(pools, 'doc.to-markdown', { file }, { limitSeconds: 60 })
  expect(result.format).toBe('pptx')
  return bytes.toString()
}

/** The deck with other paragraphs below the title of its slide. */
function writeParagraphs(...paragraphs: string[]): Buffer {
  const body = /(<p:ph idx="1"[\s\S]*?<a:lstStyle ?\/>)[\s\S]*?(<\/p:txBody>)/
  return changeZip(deck, SLIDE, xml => xml.replace(body, (_all, start, end) => start + paragraphs.join('') + end))
}

const write = (text: string, settings = '') => `<a:p>${settings}<a:r><a:t>${text}</a:t></a:r></a:p>`
const level = (at: number, bullet = '') => `<a:pPr lvl="${at}">${bullet}</a:pPr>`
const NUMBER = '<a:buAutoNum type="arabicPeriod"/>'

test('a list whose bullets are those of the master is a list, with the lists in it', async () => {
  expect(await read(deck)).toBe('## Plan\n\n- First\n  - Inner\n- Second\n')
})

test.each([
  [
    'written',
    '<a:r><a:t>Mind </a:t></a:r><a:r><a:t>the gap &amp; smile</a:t></a:r>',
    '\n**Notes:**\n\nMind the gap & smile\n',
  ],
  ['empty but for the number of the slide', '<a:fld type="slidenum"><a:t>1</a:t></a:fld>', ''],
])('the notes of the speaker, %s, stand below their slide', async (_title, content, expected) => {
  const shape = (kind: string, text: string) =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${kind}"/></p:nvPr></p:nvSpPr><p:txBody><a:p>${text}</a:p></p:txBody></p:sp>`
  const number = shape('sldNum', '<a:r><a:t>1</a:t></a:r>')
  const noted = changeZip(
    deck,
    'ppt/notesSlides/notesSlide1.xml',
    () => `<p:notes>${number}${shape('body', content)}</p:notes>`,
  )
  const relation =
    '<Relationship Id="rId99" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/notesSlide" Target="../notesSlides/notesSlide1.xml"/>'
  const file = changeZip(noted, 'ppt/slides/_rels/slide1.xml.rels', xml =>
    xml.replace('</Relationships>', `${relation}</Relationships>`),
  )
  expect(await read(file)).toBe(`## Plan\n\n- First\n  - Inner\n- Second\n${expected}`)
})

test('a word of several formats stays one word, and fields belong to their line', async () => {
  const runs = ['Har', 'bour, no', 'rth', '-west '].map(
    (text, index) => `<a:r><a:rPr sz="${index + 9}"/><a:t>${text}</a:t></a:r>`,
  )
  const field = '<a:fld id="{1}" type="slidenum"><a:rPr/><a:t>7</a:t></a:fld>'
  const file = writeParagraphs(`<a:p>${level(0, '<a:buNone/>')}${runs.join('\n')}${field}<a:endParaRPr/></a:p>`)
  expect(await read(file)).toBe('## Plan\n\nHarbour, north-west 7\n')
})

test('numbers, levels and what has no bullet are told apart', async () => {
  const file = writeParagraphs(
    write('One', level(0, NUMBER)),
    write('Inner &amp; $1', level(1)),
    write('Two', level(0, NUMBER)),
    write('Alone', level(0, '<a:buNone/>')),
    write('Deep', level(2)),
    write('Top', level(0)),
    write('Äpfel 東', level(1, '<a:buFont typeface="Arial"/><a:buChar char="-"/>')),
    '<a:p><a:endParaRPr/></a:p>',
  )
  const html = execFileSync('pandoc', ['-f', 'gfm', '-t', 'html'], { input: await read(file) }).toString()
  expect(html.replaceAll(/\s*\n\s*/g, '')).toContain(
    '<ol type="1"><li>One<ul><li>Inner &amp; $1</li></ul></li><li>Two</li></ol><p>Alone</p><ul><li>Deep</li><li>Top<ul><li>Äpfel 東</li></ul></li></ul>',
  )
})

test('a layout whose text has no bullets is believed before the master', async () => {
  const plain = '<a:lstStyle><a:lvl1pPr marL="0"><a:buNone/></a:lvl1pPr></a:lstStyle>'
  const file = changeZip(deck, LAYOUT, xml => xml.replace(/(<p:ph idx="1"[\s\S]*?)<a:lstStyle ?\/>/, `$1${plain}`))
  expect(await read(file)).toBe('## Plan\n\nFirst\n\n- Inner\n\nSecond\n')
})

test('what is bold, italic, struck or a link stays so, and a title needs no bold', async () => {
  const run = (text: string, settings: string) => `<a:r><a:rPr lang="en" ${settings}/><a:t>${text}</a:t></a:r>`
  const link = '<a:r><a:rPr><a:hlinkClick r:id="rId77"/></a:rPr><a:t>the &amp; chart</a:t></a:r>'
  const line = [
    run('Low ', ''),
    run('water ', 'b="1"'),
    run('at ', 'b="1"'),
    run('six', 'b="1" i="1"'),
    run('teen', ''),
    run(' old', 'strike="sngStrike"'),
    run(' see ', 'b="0"'),
    link,
  ]
  const file = writeParagraphs(
    `<a:p>${line.join('')}</a:p>`,
    write('Ünder', level(1)).replace('<a:r>', '<a:r><a:rPr i="1"/>'),
  )
  const linked = changeZip(file, 'ppt/slides/_rels/slide1.xml.rels', xml =>
    xml.replace(
      '</Relationships>',
      '<Relationship Id="rId77" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" ' +
        'Target="https://x.example/é?a=1&amp;b=2" TargetMode="External"/></Relationships>',
    ),
  )
  const bold = changeZip(linked, SLIDE, xml => xml.replace(/<a:rPr ?\/><a:t>Plan/, '<a:rPr b="1"/><a:t>Plan'))
  expect(await read(bold)).toBe(
    '## Plan\n\n- Low **water at** ***six***teen ~~old~~ see [the & chart](https://x.example/é?a=1&b=2)\n  - *Ünder*\n',
  )
})

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { changeZip } from '../../support/data/change-zip.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const SPACES = [
  ['v', 'urn:schemas-microsoft-com:vml'],
  ['mc', 'http://schemas.openxmlformats.org/markup-compatibility/2006'],
  ['wps', 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape'],
].map(([name, address]) => `xmlns:${name}="${address}"`)

/** A Word document whose text begins with these paragraphs. */
async function read(paragraphs: string, styles = '') {
  const text = changeZip(readFileSync('tasks/samples/log-book.docx'), 'word/document.xml', xml =>
    xml.replace('<w:body>', `<w:body>${paragraphs}`).replace('<w:document ', `<w:document ${SPACES.join(' ')} `),
  )
  const file = changeZip(text, 'word/styles.xml', xml => xml.replace('</w:styles>', `${styles}</w:styles>`))
  const { bytes, warnings } = await runJob(pools, 'doc.to-markdown', { file }, { limitSeconds: 60 })
  return { text: bytes.toString(), warnings }
}

const ODT_SPACES = ['office', 'text', 'style'].map(
  name => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
)

test('text of an OpenDocument text that is hidden by its style or section, without a part of styles', async () => {
  const style = (name: string, settings: string) =>
    `<style:style style:name="${name}" style:family="text"><style:text-properties ${settings}/></style:style>`
  const span = (name: string) => `<text:span text:style-name="${name}">${name} </text:span>`
  const content =
    `<office:document-content ${ODT_SPACES.join(' ')}><office:automatic-styles>${style('T1', 'text:display="none"')}` +
    `${style('T2', 'text:display="true"')}</office:automatic-styles><office:body><office:text>` +
    `<text:p>Low ${span('T1')}${span('T2')}</text:p><text:section text:name="S" text:display="none"><text:p>inner</text:p>` +
    '</text:section><text:p>end</text:p></office:text></office:body></office:document-content>'
  await using folder = await freshFolder()
  const path = join(folder.path, 'bare.odt')
  execFileSync('pandoc', ['-f', 'markdown', '-t', 'odt', '-o', path], { input: 'Low.\n' })
  execFileSync('zip', ['-q', '-d', path, 'styles.xml'])
  const file = changeZip(readFileSync(path), 'content.xml', () => content)
  const { bytes, warnings } = await runJob(pools, 'doc.to-markdown', { file }, { limitSeconds: 60 })
  expect([bytes.toString(), warnings]).toEqual(['Low T2\n\nend\n', ['CONTENT_SKIPPED']])
})

const run = (text: string, settings = '') =>
  `<w:r><w:rPr>${settings}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`

test.each([
  ['by itself', '<w:b/><w:vanish/>', ''],
  ['by its style', '<w:rStyle w:val="Secret"/>', ''],
  ['no longer', '<w:vanish w:val="0"/>', 'hidden'],
  ['in an older version only', '<w:rPrChange w:id="1"><w:rPr><w:vanish/></w:rPr></w:rPrChange>', 'hidden'],
])('text that is hidden %s', async (_, settings, shown) => {
  const style =
    '<w:style w:type="character" w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style>'
  const { text, warnings } = await read(`<w:p>${run('Low at ')}${run('hidden', settings)}${run('six')}</w:p>`, style)
  expect(text).toMatch(new RegExp(`^Low at ${shown}six\\n`))
  expect(warnings).toEqual(shown === '' ? ['CONTENT_SKIPPED'] : [])
})

test('a hidden field stays whole', async () => {
  const mark = (type: string) => `<w:r><w:rPr><w:vanish/></w:rPr><w:fldChar w:fldCharType="${type}"/></w:r>`
  const entry = '<w:r><w:rPr><w:vanish/></w:rPr><w:instrText>XE "Low"</w:instrText></w:r>'
  const { text, warnings } = await read(
    `<w:p>${run('Low')}${mark('begin')}${entry}${mark('end')}${run(' at six')}</w:p>`,
  )
  expect([text.split('\n')[0], warnings]).toEqual(['Low at six', []])
})

const box = '<w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent>'
const old = (shape: string) => `<w:pict><v:${shape}><v:textbox>${box}</v:textbox></v:${shape}></w:pict>`
const modern = `<w:drawing><wps:txbx>${box}</wps:txbx></w:drawing>`
const both = (fallback: string) =>
  `<mc:AlternateContent><mc:Choice Requires="wps">${modern}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`

test.each([
  ['an older one', old('shape'), true],
  ['an older rectangle', old('rect'), true],
  ['an oval', old('oval'), false],
  ['a newer one', modern, false],
  ['one in both forms', both(old('shape')), true],
  ['one whose older form is not read', both(old('roundrect')), false],
])('the text of a text box is read or reported: %s', async (_, content, isRead) => {
  const { text, warnings } = await read(`<w:p><w:r>${content}</w:r></w:p>`)
  expect(text.includes('boxed')).toBe(isRead)
  expect(warnings).toEqual(isRead ? [] : ['CONTENT_SKIPPED'])
})

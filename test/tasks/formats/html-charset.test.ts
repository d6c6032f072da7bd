import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

/** Bytes by iconv, which is not the decoder under test. */
const encode = (text: string, charset: string) => execFileSync('iconv', ['-f', 'utf-8', '-t', charset], { input: text })

const send = (operation: string, page: Buffer) => runOperation(operation, { file: { inline: page.toString('base64') } })

const PAGES: [charset: string, page: string, word: string][] = [
  ['windows-1251', '<meta charset="windows-1251"><p>Привет</p>', 'Привет'],
  [
    'shift_jis',
    '<html><head><meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"><p>日本語',
    '日本語',
  ],
  ['gbk', "<title>x</title><META CHARSET='gbk'><p>中文</p>", '中文'],
  ['iso-2022-jp', '<meta charset=iso-2022-jp><p>日本語', '日本語'],
  ['iso-8859-2', '<?xml version="1.0" encoding="iso-8859-2"?><html><p>Łódź</p></html>', 'Łódź'],
  ['utf-16le', '\ufeff<meta charset="windows-1251"><p>Привет</p>', 'Привет'],
  ['utf-8', '<!-- <meta charset="gbk"> --><meta charset="utf-16"><p>Grüße</p>', 'Grüße'],
]

test.each(PAGES)('reads a page that declares %s', async (charset, page, word) => {
  const file = encode(page, charset)
  expect(await send('text.html-to-text', file)).toMatchObject({ text: word })
  const { html, warnings } = await send('text.sanitize-html', file)
  expect(html).toContain(`<p>${word}</p>`)
  expect(warnings).toBeUndefined()
})

test('takes an unknown charset for none, and replaces what a declared one does not have', async () => {
  const unknown = Buffer.from('<meta charset="klingon"><p>Gr\xfc\xdfe</p>', 'latin1')
  expect(await send('text.html-to-text', unknown)).toMatchObject({ text: 'Grüße' })
  const broken = Buffer.from('<meta charset="euc-jp"><p>a\xff</p>', 'latin1')
  expect(await send('text.html-to-text', broken)).toMatchObject({
    text: 'a\ufffd',
    warnings: [{ code: 'CHARSET_INVALID' }],
  })
})

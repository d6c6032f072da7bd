import { expect, test } from 'vitest'
import { computePrice, runOperation } from '../../support/operations/run.ts'

const run = (body: Record<string, unknown>) => runOperation('text.xml', body)
const toJson = async (text: string, more: object = {}) => JSON.parse((await run({ text, ...more })).text as string)

test.each([
  ['attributes and texts', '<a x="1" y=\'2\'>t</a>', { a: { '@x': '1', '@y': '2', '#text': 't' } }],
  ['elements of one name', '<a><b>1</b><c/><b>2</b></a>', { a: { b: ['1', '2'], c: '' } }],
  ['entities and sections', '<a>&lt;&#x41;&#66;<![CDATA[<&>]]></a>', { a: '<AB<&>' }],
  [
    'prefixes',
    '<?xml version="1.0"?><d:a xmlns:d="u:1"><d:b d:c="x" c="y"/></d:a>',
    { 'd:a': { '@xmlns:d': 'u:1', 'd:b': { '@d:c': 'x', '@c': 'y' } } },
  ],
  ['comments and blanks', '<!-- one -->\n<a>\n  <b> x </b>\n</a>\n', { a: { b: 'x' } }],
  ['a name that objects have', '<a><__proto__>1</__proto__></a>', JSON.parse('{"a":{"__proto__":"1"}}')],
])('reads %s', async (_, text, value) => expect(await toJson(text)).toEqual(value))

test('makes a list of an element that stands alone, where it is asked for', async () => {
  expect(await toJson('<a><b>1</b></a>', { lists: ['b'] })).toEqual({ a: { b: ['1'] } })
})

test('reads a file in the charset that it declares', async () => {
  const bytes = Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>caf\u00e9</a>', 'latin1')
  const { text } = await run({ file: { inline: bytes.toString('base64') } })
  expect(JSON.parse(text as string)).toEqual({ a: 'caf\u00e9' })
})

test('warns where texts between elements are joined', async () => {
  const { text, warnings } = await run({ text: '<p>Hello <b>you</b> there</p>', indent: 0 })
  expect(JSON.parse(text as string)).toEqual({ p: { b: 'you', '#text': 'Hello  there' } })
  expect(warnings).toMatchObject([{ code: 'MIXED_CONTENT' }])
})

test.each([
  ['<a>'],
  ['<a></b>'],
  ['<a/><b/>'],
  ['no xml'],
  ['before <a/>'],
  ['<a/> after'],
  ['<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'],
  ['<a>'.repeat(100) + '</a>'.repeat(100)],
])('refuses %s', async text => {
  await expect(run({ text })).rejects.toMatchObject({ code: 'DOC_PARSE_FAILED' })
})

test('costs as other texts do', async () => {
  expect(await computePrice('text.xml', { text: '<a/>' })).toBe(1000n)
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CASES } from '../../../tasks/formats/words/casing.ts'
import { splitWords } from '../../../tasks/formats/words/split.ts'
import { computePrice, runOperation } from '../../support/operations/run.ts'

const run = (body: Record<string, unknown>) => runOperation('text.case', body)
const cased = async (text: string, to: string, options = {}) => (await run({ text, to, ...options })).text

test.each([
  ['lower', 'hello world, parse xmlhttprequest2'],
  ['upper', 'HELLO WORLD, PARSE XMLHTTPREQUEST2'],
  ['title', 'Hello World, Parse XMLHttpRequest2'],
  ['sentence', 'Hello world, parse xmlhttprequest2'],
  ['camel', 'helloWorldParseXmlHttpRequest2'],
  ['pascal', 'HelloWorldParseXmlHttpRequest2'],
  ['snake', 'hello_world_parse_xml_http_request2'],
  ['kebab', 'hello-world-parse-xml-http-request2'],
  ['constant', 'HELLO_WORLD_PARSE_XML_HTTP_REQUEST2'],
  ['dot', 'hello.world.parse.xml.http.request2'],
  ['path', 'hello/world/parse/xml/http/request2'],
  ['train', 'Hello-World-Parse-Xml-Http-Request2'],
  ['swap', 'HELLO wORLD, PARSE xmlhTTPrEQUEST2'],
])('writes in %s case', async (to, expected) => {
  expect(await cased('hello World, parse XMLHttpRequest2', to)).toBe(expected)
})

describe('follows the rules of the language', () => {
  test.each([
    ['Iİıi', 'lower', 'tr', 'ıiıi'],
    ['ıi', 'upper', 'az-Latn', 'Iİ'],
    ['istanbul ılık', 'title', 'tr', 'İstanbul Ilık'],
    ['straße', 'upper', 'de', 'STRASSE'],
    ['Straße', 'swap', 'de', 'sTRASSE'],
    ['ßtraße', 'title', 'de', 'Sstraße'],
    ['GROẞ', 'lower', 'de', 'groß'],
    ['ijsland en ijmuiden', 'title', 'nl', 'IJsland en IJmuiden'],
    ['ΟΔΥΣΣΕΥΣ ΣΑΣ', 'lower', 'el', 'οδυσσευς σας'],
    ['ΟΔΟΣ', 'title', 'und', 'Οδος'],
    ['ǆungla', 'title', 'hr', 'ǅungla'],
    ['ﬁnale', 'title', 'und', 'Finale'],
    ['der herr der ringe', 'title', 'de', 'Der Herr der Ringe'],
    ['le seigneur des anneaux', 'title', 'fr', 'Le Seigneur des Anneaux'],
    ['the of and', 'title', 'pl', 'The Of And'],
    ['привет мир', 'pascal', 'und', 'ПриветМир'],
    ['日本語 text', 'snake', 'und', '日本語_text'],
    ['𐐨𐐩 x', 'title', 'und', '𐐀𐐩 X'],
  ])('%s to %s in %s', async (text, to, locale, expected) => {
    expect(await cased(text, to, { locale })).toBe(expected)
  })

  test('writes the capital of ß as requested', async () => {
    expect(await cased('Maß', 'upper', { sharpS: 'ẞ' })).toBe('MAẞ')
    expect(await cased('maß haus', 'constant', { sharpS: 'ẞ' })).toBe('MAẞ_HAUS')
  })

  test.each(['x', 'no such tag', 'de_DE!'])('rejects the language %j', async locale => {
    await expect(cased('a', 'lower', { locale })).rejects.toMatchObject({
      code: 'INVALID_PARAM',
      hints: { field: 'locale' },
    })
  })
})

test.each([
  ['a tale of two cities', 'A Tale of Two Cities'],
  ['what is it for', 'What Is It For'],
  ['the return: a story of the end', 'The Return: A Story of the End'],
  ["don't stop o'clock ‘quoted’", "Don't Stop O'clock ‘Quoted’"],
  ['state-of-the-art well-known', 'State-of-the-Art Well-Known'],
  ['one\nthe two', 'One\nThe Two'],
  ['write to ada@example.com now', 'Write to ada@example.com Now'],
  ['open https://x.org/a/B?c=d, then www.y.org', 'Open https://x.org/a/B?c=d, Then www.y.org'],
  ['run the test(s) of my iPhone by McDonald (a story)', 'Run the Test(s) of My iPhone by McDonald (a Story)'],
  ['see example.com, then (docs.example.org/a_b) today', 'See example.com, Then (docs.example.org/a_b) Today'],
  ['open notes.txt by hand', 'Open notes.txt by Hand'],
])('writes %j in title case', async (text, expected) => {
  expect(await cased(text, 'title')).toBe(expected)
})

test.each([
  ['HELLO THERE. HOW ARE YOU? "FINE!" SHE SAID', 'Hello there. How are you? "Fine!" She said'],
  ['what I’d do if I were you', 'What I’d do if I were you'],
  ['VERSION 2.0 IS OUT… AT LAST', 'Version 2.0 is out… At last'],
  ['FIRST\n\nSECOND\nthird', 'First\n\nSecond\nthird'],
])('writes %j in sentence case', async (text, expected) => {
  expect(await cased(text, 'sentence')).toBe(expected)
})

test.each([
  ['NASA and the FBI', 'title', 'NASA and the FBI'],
  ['NASA IS here', 'sentence', 'NASA IS here'],
  ['parse XML now', 'camel', 'parseXMLNow'],
  ['XML parser', 'camel', 'xmlParser'],
  ['parse XMLFile', 'snake', 'parse_XML_File'.replace('File', 'file')],
])('keeps the acronyms of %j in %s case', async (text, to, expected) => {
  expect(await cased(text, to, { keepAcronyms: true })).toBe(expected)
})

test.each([
  ['fooBar', ['foo', 'Bar']],
  ['XMLHttpRequest', ['XML', 'Http', 'Request']],
  ['version2Beta', ['version2', 'Beta']],
  ["it's the dogs' bowl", ['its', 'the', 'dogs', 'bowl']],
  ['__a--b..c', ['a', 'b', 'c']],
  ['ÄpfelÜber', ['Äpfel', 'Über']],
  ['...', []],
  ['', []],
])('finds the words of %j', (text, words) => {
  expect(splitWords(text)).toEqual(words)
})

test('separates adjacent numbers', async () => {
  expect(await cased('version 1 2 beta', 'camel')).toBe('version1_2Beta')
})

test('converts each line separately and keeps its end', async () => {
  expect(await cased('foo bar\r\nbaz qux\n\rlast', 'pascal', { lines: true })).toBe('FooBar\r\nBazQux\n\rLast')
  expect(await cased('foo bar\nbaz', 'pascal')).toBe('FooBarBaz')
})

test('changes nothing but the case of any text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async text => {
      const [first, ...others] = await Promise.all(
        ['lower', 'upper', 'title', 'sentence', 'swap'].map(async to =>
          (await cased(text, to))!.toUpperCase().toLowerCase(),
        ),
      )
      for (const other of others) expect(other.normalize('NFKD')).toBe(first!.normalize('NFKD'))
    }),
    { numRuns: 200 },
  )
})

test('writes identifiers that split into the same words', async () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{2,6}$/), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      words,
      fc.constantFrom('camel', 'pascal', 'snake', 'kebab', 'dot', 'path', 'train'),
      async (list, to) => {
        expect(await cased((await cased(list.join(' '), to))!, 'kebab')).toBe(list.join('-'))
      },
    ),
    { numRuns: 200 },
  )
})

describe('reads files', () => {
  const file = (bytes: Buffer) => run({ file: { inline: bytes.toString('base64') }, to: 'upper' })

  test.each([
    ['in UTF-8', Buffer.from('é')],
    ['in UTF-8 with a byte order mark', Buffer.from('\ufeffé')],
    ['in little-endian UTF-16', Buffer.from('\ufeffé', 'utf16le')],
    ['in UTF-16 without a mark', Buffer.from('é', 'utf16le')],
    ['in big-endian UTF-16', Buffer.from('\ufeffé', 'utf16le').swap16()],
  ])('%s', async (_, bytes) => {
    expect(await file(bytes)).toEqual({ text: 'É' })
  })

  test('in Windows-1252, with a warning', async () => {
    const answer = await file(Buffer.from([0xe9, 0x80]))
    expect(answer).toMatchObject({ text: 'É€', warnings: [{ code: 'CHARSET_GUESSED' }] })
  })

  test('in the charset of their alphabet', async () => {
    // "Привет, мир" in Windows-1251.
    const answer = await file(Buffer.from('cff0e8e2e5f22c20ece8f0', 'hex'))
    expect(answer).toMatchObject({ text: 'ПРИВЕТ, МИР', warnings: [{ code: 'CHARSET_GUESSED' }] })
  })

  test('but not binary files', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    await expect(file(png)).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT', hints: { detected: 'image/png' } })
  })
})

test.each([
  ['in one word', 'A'.repeat(4 * 2 ** 20)],
  ['without any word', '. '.repeat(2 ** 21)],
  ['in two million words', 'a '.repeat(2 ** 21)],
])('accepts 4 MiB %s, and returns a file', async (_, text) => {
  for (const to of ['title', 'sentence', 'swap']) {
    const { output } = await run({ text, to })
    expect(output).toMatchObject({ contentType: 'text/plain', name: 'text.txt' })
    expect(output!.bytes).toHaveLength(text.length)
  }
})

test('returns a file on request', async () => {
  const { output } = await run({ text: 'a', to: 'upper', outFormat: 'file' })
  expect(Buffer.from(output!.bytes!).toString()).toBe('A')
})

test.each(CASES)('returns an empty text for an empty one in %s case', async to => {
  expect(await cased('', to)).toBe('')
})

test.each([
  [{ to: 'upper' }, 'MISSING_FIELD', { field: 'text' }],
  [{ to: 'upper', text: 'a', file: { text: 'a' } }, 'CONFLICTING_OPTIONS', { fields: ['text', 'file'] }],
  [{ to: 'upper', text: 'x'.repeat(4 * 2 ** 20 + 1) }, 'INPUT_TOO_LARGE', { limitBytes: 4 * 2 ** 20 }],
])('rejects body %#', async (body, code, hints) => {
  await expect(run(body)).rejects.toMatchObject({ code, hints })
})

test('costs 0.001 USD for the first MiB and as much for each started 5 MiB more', async () => {
  expect(await computePrice('text.case', { text: 'x'.repeat(2 ** 20), to: 'upper' })).toBe(1_000n)
  expect(await computePrice('text.case', { text: 'é'.repeat(2 ** 19 + 1), to: 'upper' })).toBe(2_000n)
  expect(await computePrice('text.case', { file: { text: 'x'.repeat(2 ** 20) }, to: 'upper' })).toBe(1_000n)
})

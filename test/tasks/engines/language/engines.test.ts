import { expect, test } from 'vitest'
import { openClassifier } from '../../../../tasks/engines/language/classify.ts'
import { findByFormat } from '../../../../tasks/engines/language/extract/formats.ts'
import { guessLanguage } from '../../../../tasks/engines/language/guess-language.ts'
import { repairJson } from '../../../../tasks/engines/language/json/repair.ts'
import { findKeywords } from '../../../../tasks/engines/language/keywords.ts'
import { findOtherLanguage } from '../../../../tasks/engines/language/other-language.ts'
import { applyEdits, findFaults } from '../../../../tasks/engines/language/proofread/check.ts'
import { diffWords } from '../../../../tasks/engines/language/proofread/diff.ts'
import { splitSentences } from '../../../../tasks/engines/language/sentences.ts'
import { joinRatings, rateSentences } from '../../../../tasks/engines/language/sentiment.ts'
import { chooseSentences } from '../../../../tasks/engines/language/summarize.ts'
import { findTitles } from '../../../../tasks/engines/language/title.ts'

const APOLLO = `The Apollo program was the United States human spaceflight program carried out by NASA, which landed the first humans on the Moon in 1969. It was conceived during the Eisenhower administration as a one-man spacecraft. Kennedy later dedicated the program to the national goal of landing a man on the Moon by the end of the decade. The program cost 25.4 billion dollars. Critics asked whether the money was well spent.

Apollo used Saturn family rockets as launch vehicles. These rockets were also used for an Apollo Applications Program. Apollo 11 astronauts Neil Armstrong and Buzz Aldrin landed their Lunar Module on July 20, 1969, and walked on the lunar surface, while Michael Collins remained in lunar orbit. However, Apollo 13 failed to land because of an oxygen tank explosion. Five subsequent missions also landed astronauts on the Moon, the last in December 1972.`

test('splits sentences where they end, and nowhere else', () => {
  const text =
    'Dr. Smith paid $3.50, e.g. for tea. "Really?" she asked. See p. 5 of v1.2!\n\n# A heading\n\n- one\n- two\n\n文です。二つ。'
  expect(splitSentences(text).map(sentence => sentence.text)).toEqual([
    ...['Dr. Smith paid $3.50, e.g. for tea.', '"Really?" she asked.', 'See p. 5 of v1.2!', 'A heading', 'one', 'two'],
    ...['文です。', '二つ。'],
  ])
  for (const { text: sentence, start, end } of splitSentences(text)) expect(text.slice(start, end)).toBe(sentence)
})

test.each([
  ['यह पहला वाक्य है। यह दूसरा है।', 2],
  ['Սա առաջին նախադասությունն է։ Սա երկրորդն է։', 2],
  ['ይህ የመጀመሪያው ነው። ይህ ሁለተኛው ነው።', 2],
  ['هل هذا سؤال؟ نعم هو كذلك.', 2],
  ['یہ پہلا جملہ ہے۔ یہ دوسرا ہے۔', 2],
])('knows the marks that end the sentences of %s', (text, count) => {
  expect(splitSentences(text)).toHaveLength(count)
})

test('a summary has the original sentences in their order, without those that hang in the air', () => {
  const chosen = chooseSentences(APOLLO, { maxSentences: 3 })
  expect(chosen.map(({ start }) => start)).toEqual(chosen.map(({ start }) => start).toSorted((a, b) => a - b))
  for (const { text, start, end } of chosen) expect(APOLLO.slice(start, end)).toBe(text)
  expect(chosen[0]!.text).toMatch(/^The Apollo program was/)
  expect(chosen.some(({ text }) => /^(?:It|These|However)/.test(text))).toBe(false)
  expect(chooseSentences(APOLLO, { maxSentences: 1, focus: 'rockets' })[0]!.text).toMatch(/rockets/)
  expect(chooseSentences('One. Two.', { maxSentences: 5 })).toHaveLength(2)
  const short = 'The sea rises twice a day. Yes! The moon pulls at the water of the sea.'
  expect(chooseSentences(short, { maxSentences: 30 })[1]!.text).toBe('Yes!')
  expect(chooseSentences(short, { maxSentences: 2 })).not.toContainEqual(expect.objectContaining({ text: 'Yes!' }))
})

test('keywords are phrases of the text with their places', () => {
  const found = findKeywords(APOLLO, { max: 15, ngrams: 3, dedupe: true })
  const words = found.map(({ text }) => text)
  expect(words.filter(word => word.includes(' ')).length).toBeGreaterThan(6)
  expect(words).toEqual(expect.arrayContaining(['Apollo', 'Moon', 'Saturn family rockets', 'oxygen tank explosion']))
  for (const { text, positions } of found)
    for (const position of positions)
      expect(APOLLO.slice(position).toLowerCase()).toMatch(new RegExp(`^${text.slice(0, 3).toLowerCase()}`))
})

test('titles are the heading, or words of the text within the length', () => {
  const options = { maxLength: 60, count: 3, style: 'headline' } as const
  expect(findTitles(`# On **tides**\n\n${APOLLO}`, options)[0]).toBe('On tides')
  for (const title of findTitles(APOLLO, options)) {
    expect(title.length).toBeLessThanOrEqual(60)
    expect(APOLLO).toContain(title)
  }
  expect(findTitles(`# Über die Tide!\n\ntext`, { ...options, style: 'filename' })[0]).toBe('uber-die-tide')
})

test.each([
  ['I love this product! Best purchase ever.', 'positive'],
  ['Not good at all.', 'negative'],
  ['No problems, works great', 'positive'],
  ["I can't recommend this enough!", 'positive'],
  ['Never had a better meal.', 'positive'],
  ['Could not be better!', 'positive'],
  ['Could be better', 'negative'],
  ['Absolutely TERRIBLE service 😡', 'negative'],
  ['The package arrived on Tuesday.', 'neutral'],
  ...['😀😀', '❤️', ':)'].map((text): [string, string] => [text, 'positive']),
  ...['👎', '😡', ':-('].map((text): [string, string] => [text, 'negative']),
  ['The package arrived. 😡', 'negative'],
  ['The room was lovely, but the breakfast was terrible.', 'negative'],
  ["The movie wasn't very interesting and the acting was poor", 'negative'],
])('the sentiment of %s is %s', (text, label) => {
  expect(joinRatings(rateSentences(text)).label).toBe(label)
})

test('keywords of a few words are phrases without small words', () => {
  const find = (text: string) => findKeywords(text, { max: 5, ngrams: 3, dedupe: true }).map(keyword => keyword.text)
  expect(find('Fast delivery and good service').sort()).toEqual(['Fast delivery', 'good service'])
  expect(find('Die Hard')).toEqual(['Die Hard'])
})

test('keywords of a German text end with a noun, without verbs beside them and endings of cases', () => {
  const text = `Das Kabinett hat den Entwurf eines neuen Klimaschutzgesetzes beschlossen. Verbände kritisierten den Entwurf,
während die Industrie vor steigenden Energiepreisen warnte. Das Klimaschutzgesetz sieht Ziele vor. Erneuerbare Energien decken
die Hälfte des Bedarfs, und der Ausbau der erneuerbaren Energien kommt langsam voran.`
  const found = findKeywords(text, { max: 20, ngrams: 3, dedupe: true }).map(keyword => keyword.text)
  expect(found.slice(0, 4)).toEqual(expect.arrayContaining(['Erneuerbare Energien', 'Entwurf']))
  expect(found).toContain('steigenden Energiepreisen')
  for (const phrase of found) expect(phrase).toMatch(/(?:^| )\p{Lu}\S*$/u)
  expect(found.join()).not.toMatch(/beschlossen|warnte|sieht|langsam/)
})

test('a title that is too long ends where a part of its sentence ends', () => {
  const text =
    'The European Central Bank raised interest rates for the third time in a row on Thursday as inflation remained high.'
  const cut = (maxLength: number) => findTitles(text, { maxLength, style: 'headline', count: 1 })[0]
  expect(cut(50)).toBe('The European Central Bank raised interest rates')
  expect(cut(72)).toBe('The European Central Bank raised interest rates for the third time')
  expect(cut(90)).toBe('The European Central Bank raised interest rates for the third time in a row on Thursday')
})

test.each([
  ['This is a plain text of the English language and nothing else.', 'en'],
  ['Die Katze sitzt auf der Matte und schaut aus dem Fenster.', 'de'],
  ['Le chat est assis sur le tapis et regarde par la fenêtre.', 'fr'],
  ['El gato está sentado en la alfombra y mira por la ventana.', 'es'],
  ['Кошка сидит на ковре и смотрит в окно, потому что там птицы.', 'ru'],
  ['猫はマットの上に座って、窓の外を見ています。', 'ja'],
  ['Bugün hava çok güzel, dışarı çıkalım.', 'tr'],
  ['Bugün hava çok güzel, denize gidelim.', 'tr'],
  ['Dziś pogoda jest piękna, wyjdźmy wcześnie.', 'pl'],
  ['Bu gün hava çox gözəldir, bağa çıxaq.', undefined],
  ['Łukasz flew home yesterday.', undefined],
  ['Kubernetes', undefined],
])('the language of %s is %s', (text, language) => expect(guessLanguage(text)).toBe(language))

test.each<[string, string | undefined]>([
  ["Merveilleux ! Je l'adore, excellente qualité.", 'fr'],
  ['Schrecklich, nie wieder!', 'de'],
  ['No me gusta nada.', 'es'],
  ['Excelente producto, me encanta.', 'es'],
  ['Pessimo servizio, non lo consiglio.', 'it'],
  ['Não gostei do produto, péssima qualidade.', 'pt'],
  ['Ужасно, больше никогда!', 'ru'],
  ['Жахливо', 'und'],
  ...[
    'The package arrived on Tuesday.',
    'The café à la carte',
    'Die Hard',
    'De La Soul',
    'La la land',
    'Kubernetes',
    'Invoice 12345, Zürich',
    'Le Café',
    'Delivered Tuesday by courier.',
    'ok',
    '😀 12',
    '',
  ].map((text): [string, undefined] => [text, undefined]),
])('the language other than English of %s is %s', (text, language) => expect(findOtherLanguage(text)).toBe(language))

const check = (text: string, more = {}) => findFaults(text, { language: 'en', level: 'grammar', ignore: [], ...more })

test.each([
  ['I recieved a email from the the office.', 'I received an email from the office.'],
  ['It should of been sent ,but its not here.', "It should have been sent, but it's not here."],
  ['He is more then an hour late. we wait.', 'He is more than an hour late. We wait.'],
  ['What a mess!!! i think thats an university.', "What a mess! I think that's a university."],
  ['One  space.This is it..', 'One space. This is it.'],
  ['Its raining, and its hard to see.', "It's raining, and it's hard to see."],
  ['He go to school yesterday. Their is a dog.', 'He went to school yesterday. There is a dog.'],
  ['She have a cat. “It do not bite.”\nhe know it.', 'She has a cat. “It does not bite.”\nhe knows it.'],
])('mends %s', (text, corrected) => expect(applyEdits(text, check(text))).toBe(corrected))

test.each([
  'Use `teh code` and https://ex.com/teh/recieve, mail a@recieve.org, or call recieve_data() and fooBar.',
  '```js\nlet  teh = "the the"\n```',
  'An hour, an MBA, a one-off, a European, an honest man, a UFO, an 8, a FAQ and an FAQ.',
  'Its roof leaks, its taking of hostages, its hard shell, its likely heirs, its nice garden, to the best of its doing of it.',
  'That that is is. He had had enough. Bora Bora is far. It costs $1,000.50 at 10:30 e.g. on Monday.',
  'Did he go? Let him and she go. I asked that he come. The dog and he go. He go-karts. She like, totally. IT HAVE.',
  'Wait... what? See a) and b), i.e. the U.S. market, Mr. Smith et al. said. :)',
  '| a  | b  |\n|----|----|\n| x  | y  |',
  'Hello {{name}}, you have %s new messages and &nbsp; {0} <b>old</b> ones.',
])('leaves %s alone', text => expect(check(text, { level: 'style' })).toEqual([]))

test('reports what only the author can mend, and skips what is right', () => {
  expect(check('A test (of brackets.')).toMatchObject([{ rule: 'unmatched', replacement: null, start: 7 }])
  expect(check('Teh word.', { ignore: ['teh'] })).toEqual([])
  expect(findFaults('Bonjour ! Le le chat.', { language: 'fr', level: 'style', ignore: [] })).toMatchObject([
    { rule: 'repeated-word' },
  ])
})

test('tells words apart that a model has changed', () => {
  const [before, after] = ['The cat sat on teh mat.', 'The cat sat on the red mat.']
  const edits = diffWords(before, after)
  expect(edits[0]).toMatchObject({ original: 'teh', start: 15 })
  const applied = edits
    .toReversed()
    .reduce((text, { start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end), before)
  expect(applied).toBe(after)
})

const OPTIONS = { expect: 'any', multiple: 'error', stripFences: true, keepNumbersAsText: true } as const

test.each([
  ['{a: 1,}', { a: 1 }],
  ['{"a": 1, "b": [1,2 ', { a: 1, b: [1] }],
  ['```json\n[1,{"a":"x\n```', [1, { a: 'x' }]],
  ['{"a": "he said "yes", then left", "b":1}', { a: 'he said "yes", then left', b: 1 }],
  ["{'it': 'don\\'t', 'x': None, 'y': True}", { it: "don't", x: null, y: true }],
  ['Sure! {"a": [1, 2]} Hope it helps.', { a: [1, 2] }],
  ['callback({"a":1});', { a: 1 }],
  ['{"id": 12345678901234567890}', { id: '12345678901234567890' }],
  ['[1 2 3]', [1, 2, 3]],
  ['{“a”: “b”, // c\n "d": .5}', { a: 'b', d: 0.5 }],
  ['[{"a":1},{"b', [{ a: 1 }]],
  ['[{"a":"line\nbreak"}, {"a": "x",\n ...}]', [{ a: 'line\nbreak' }, { a: 'x' }]],
])('repairs %s', (text, json) => expect(repairJson(text, OPTIONS)).toMatchObject({ json, changed: true }))

const FENCED = '```json\n{"code":"```python\\nprint(1)\\n```","ok":true}\n```'

test.each([
  ['a fence inside a text of what is fenced', FENCED, { code: '```python\nprint(1)\n```', ok: true }],
  ['fences in the middle of a text', '```\n{"md":"a ```b``` c","n":5}\n```\nDone.', { md: 'a ```b``` c', n: 5 }],
  ['a fence around what is broken', '```json\n{"md":"a ```b``` c","n":5,}\n```', { md: 'a ```b``` c', n: 5 }],
  ['escaped JSON', '{\\"a\\":1,\\"b\\":\\"x\\"}', { a: 1, b: 'x' }],
  ['escaped JSON in a fence, on lines', '```\n{\n\\"a\\":\\"x\\\\n\\"\n}\n```', { a: 'x\n' }],
  ['a number that the line ends', '[1,2,3\n', [1, 2, 3]],
  ['a number that a fence ends', '```\n{"a": 1, "total": 119.00\n```', { a: 1, total: 119 }],
  ['the only number, that a line end ends', '{"a":1\n', { a: 1 }],
  ['a number too small for JavaScript', '{"a":1e-400}', { a: '1e-400' }],
])('loses nothing of %s', (_, text, json) => {
  expect(repairJson(text, { ...OPTIONS, expect: 'any' }).json).toEqual(json)
})

test('of JSON nothing is changed, and of a cut value nothing is invented', () => {
  const valid = '{"a": [1, 2.50, "x"], "a2": null}'
  expect(repairJson(valid, OPTIONS)).toEqual({ json: JSON.parse(valid), changed: false, repairs: [] })
  expect(repairJson('{"a": 1, "isOpen": tr', OPTIONS).json).toEqual({ a: 1 })
  const poisoned = repairJson('{"__proto__": {"x": 1}, }', OPTIONS).json as object
  expect(Object.getPrototypeOf(poisoned)).toBe(Object.prototype)
  for (const text of [
    'just prose here',
    'I like [this] and {that}',
    '',
    '{"a":1} {"b":2}',
    '{"price": 1,234}',
    '{"a": "x" "y"}',
    '{"a": 1, "b"}',
    '{\\"a\\":1,\\"b\\":\\"x',

    '['.repeat(3_000),
  ])
    expect(() => repairJson(text, OPTIONS), text.slice(0, 20)).toThrow()
})

/** Whatever is cut off, what is left was in the text. */
test('every beginning of a document gives a part of it', () => {
  const whole = JSON.stringify({ name: 'Ada "the" first', list: [1, 22, { deep: ['x', true, null] }], n: -1.5e3 })
  const known = new Set(['Ada "the" first', 'x', 1, 22, 2, -1, -1.5, -1.5e3, true, null])
  for (let end = 1; end < whole.length; end++) {
    const leaves: unknown[] = []
    try {
      JSON.stringify(repairJson(whole.slice(0, end), OPTIONS).json, (_, value: unknown) => {
        if (typeof value !== 'object' || value === null) leaves.push(value)
        return value
      })
    } catch {
      continue
    }
    for (const leaf of leaves) {
      const isPrefix = typeof leaf === 'string' && 'Ada "the" first'.startsWith(leaf)
      expect(known.has(leaf as never) || isPrefix, `${whole.slice(0, end)} -> ${String(leaf)}`).toBe(true)
    }
  }
})

test('classifies by examples, and knows when a text is about none', () => {
  const classify = openClassifier([
    { name: 'delivery', examples: ['Where is my parcel?', 'The package is late', 'It was not delivered'] },
    { name: 'refund', examples: ['I want my money back', 'Refund me please', 'Please return my payment'] },
  ])
  expect(classify('my parcels were never delivered')[0]).toMatchObject({ name: 'delivery' })
  expect(classify('give me a refund of the payment')[0]).toMatchObject({ name: 'refund' })
  expect(classify('quantum chromodynamics').every(({ score }) => score < 0.5)).toBe(true)
})

test.each([
  ['email', 'a@b.example, and not a@b', ['a@b.example']],
  ['date', '2026-02-30 2026-03-01, 12.3.2026, 03/04/2026, March 5th, 2026', ['2026-03-01', '2026-03-12', '2026-03-05']],
  ['iban', 'DE89 3704 0044 0532 0130 00 and DE88370400440532013000', ['DE89370400440532013000']],
  ['ipv4', '10.0.0.1 and 999.1.1.1 and 1.2.3.4.5', ['10.0.0.1']],
  ['phone', 'Call +49 30 901820 or (030) 12 34 56, not 2026-03-01', ['+49 30 901820', '(030) 12 34 56']],
])('finds values of the format %s', (format, text, values) => {
  expect(findByFormat(text, format).map(({ value }) => value)).toEqual(values)
})

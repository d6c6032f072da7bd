import { expect, test } from 'vitest'
import { Problem } from '#kit'
import { validate } from '../../api/intake/validate.ts'
import { withFieldHints } from '../../api/intake/validation/known-fields.ts'
import { loadOperation } from '../../tasks/index.ts'

/** The body of the problem, or undefined if the input is valid. */
async function refuse(name: string, input: unknown): Promise<Record<string, unknown> | undefined> {
  const { input: schema } = await loadOperation(name)
  try {
    validate(schema, input)
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error.toBody()
    throw error
  }
}

const file = { text: 'a,b\n1,2\n' }
const png = { inline: 'iVBORw0KGgo=' }

test.each([
  ['a nested field given outside', 'csv.convert', { file, to: 'json', delimiter: ';' }, 'csv.delimiter'],
  ['the name of a file, as the output calls it', 'archive.zip', { files: [{ ...file, filename: 'a.csv' }] }, 'name'],
  ['an outer field given inside', 'csv.convert', { file, to: 'json', csv: { to: 'json' } }, 'to'],
  ['the source of a file beside it', 'pdf.rotate', { file, inline: 'YQ==', degrees: '90' }, 'file.inline'],
  ['a field of which only the beginning was given', 'text.count', { text: 'a', words: 1 }, 'wordsPerMinute'],
  ['two letters that changed places', 'utils.hash', { tetx: 'a' }, 'text'],
  ['a transposition in a longer name', 'image.convert', { file: png, to: 'webp', qaulity: 80 }, 'quality'],
  [
    'a field of a list item given outside',
    'image.composite',
    { file: png, layers: [{ text: 'a' }], tile: true },
    'layers[].tile',
  ],
])('%s is named', async (_title, name, input, didYouMean) => {
  expect(await refuse(name, input)).toMatchObject({ code: 'UNKNOWN_FIELD', didYouMean })
})

test.each([
  ['a word', 'media.audio-convert', { file: png, format: 'mp3' }, 'format', 'to'],
  ['a number', 'media.speed', { file: png, speed: 2 }, 'speed', 'factor'],
  ['a file', 'image.convert', { image: png, to: 'webp' }, 'image', 'file'],
])('%s that the one missing field takes names that field', async (_title, name, input, field, didYouMean) => {
  const { faults } = (await refuse(name, input)) as { faults: object[] }
  expect(faults).toContainEqual(expect.objectContaining({ code: 'UNKNOWN_FIELD', field, didYouMean }))
})

test('the nearest name is told where the value is none that the missing field takes', async () => {
  const { faults } = (await refuse('media.speed', { file: png, speed: 'slow' })) as { faults: object[] }
  expect(faults).toContainEqual(expect.objectContaining({ field: 'speed', didYouMean: 'speedPreset' }))
})

test('a value with several forms is told by the form whose type it has', async () => {
  const join = (more: object) => refuse('media.concat', { files: [png, png], ...more })
  expect(await join({ fps: 61 })).toMatchObject({ code: 'INVALID_PARAM', field: 'fps', max: 60 })
  expect(await join({ fps: true })).toMatchObject({ field: 'fps', expected: 'string or number' })
  expect(await join({ size: { width: 100 } })).toMatchObject({ code: 'MISSING_FIELD', field: 'size.height' })
  const sound = await refuse('media.audio-convert', { file: png, to: 'mp3', channels: 3 })
  expect(sound).toMatchObject({ field: 'channels', allowed: [1, 2] })
})

test('an unknown field comes with the fields that are known in its place', async () => {
  const body = await refuse('csv.convert', { file, to: 'json', csv: { zzzz: 1 } })
  expect(body).toMatchObject({ field: 'csv.zzzz', known: expect.arrayContaining(['delimiter', 'quote']) })
  expect(body!.known).not.toContain('to')
})

test('a missing field comes with its type, its values and an example', async () => {
  expect(await refuse('pdf.rotate', { file })).toMatchObject({
    code: 'MISSING_FIELD',
    field: 'degrees',
    expected: expect.stringContaining('string'),
    allowed: expect.arrayContaining(['90', '180', '270']),
    example: '90',
  })
  expect(await refuse('pdf.rotate', { degrees: '90' })).toMatchObject({
    field: 'file',
    expected: 'object',
    example: { inline: expect.any(String) },
  })
  const step = await refuse('pipeline.run', { file: { text: 'a' }, steps: [{ op: 'data/fliter' }] })
  expect(step).toMatchObject({ field: 'steps.0.op', didYouMean: 'data/filter' })
  expect(await refuse('pdf.pages', { file })).toMatchObject({
    field: 'action',
    allowed: expect.arrayContaining(['delete', 'reorder']),
    example: expect.any(String),
  })
})

test('a misspelt word names the nearest one', async () => {
  expect(await refuse('image.convert', { file: png, to: 'wepb' })).toMatchObject({ field: 'to', didYouMean: 'webp' })
  expect(await refuse('pdf.pages', { file, action: 'delte' })).toMatchObject({ field: 'action', didYouMean: 'delete' })
})

test.each([['a text'], [5], [['a list']]])('%j in place of one of several kinds of body is refused', async input => {
  expect(await refuse('pdf.pages', input)).toMatchObject({ code: 'INVALID_PARAM', field: 'body', expected: 'object' })
})

test('where an object or a list is wanted, an example says of which kind', async () => {
  expect(await refuse('pdf.rotate', { file: '/home/me/a.pdf', degrees: '90' })).toMatchObject({
    ...{ field: 'file', expected: 'object', example: { inline: expect.any(String) } },
  })
  expect(await refuse('generate.chart', { type: 'bar', data: [{ a: 1 }] })).toMatchObject({
    ...{ field: 'data', expected: 'object', example: { rows: [{ name: 'value' }] } },
  })
  const renamed = (await refuse('data.rename', { file: { ...file }, map: [] })) as { example: object }
  expect(renamed).toMatchObject({ field: 'map', expected: 'object', example: { name: 'text' } })
  const { example } = (await refuse('image.composite', { file: png })) as { example: object[] }
  expect(Object.keys(example[0]!)).not.toEqual([])
})

test('a text of the wrong form is told what the field takes, not only by a pattern', async () => {
  expect(await refuse('image.resize', { file: png, width: 'abc' })).toMatchObject({
    ...{ field: 'width', description: 'Such as 50%.' },
  })
  const boxes = { file: png, texts: ['a'], color: 'blackish!' }
  expect(await refuse('pdf.redact', boxes)).toMatchObject({ description: 'Colour of the boxes.', example: '#000000' })
})

test('several faults come at once, beside the fields of the first', async () => {
  const body = await refuse('image.resize', { widht: 5, height: 'x', fit: 'tight' })
  expect(body).toMatchObject({ code: 'MISSING_FIELD', field: 'file' })
  const faults = body!.faults as { code: string; field: string }[]
  expect(faults[0]).toMatchObject({ code: 'MISSING_FIELD', field: 'file', expected: 'object' })
  expect(faults).toContainEqual(expect.objectContaining({ field: 'widht', didYouMean: 'width' }))
  expect(new Set(faults.map(({ code, field }) => `${code} ${field}`))).toEqual(
    new Set(['UNKNOWN_FIELD widht', 'MISSING_FIELD file', 'INVALID_PARAM height', 'INVALID_PARAM fit']),
  )
  expect(await refuse('image.resize', { file: png, widht: 5 })).not.toHaveProperty('faults')
})

test('what several fields may be is told once', async () => {
  const steps = Array.from({ length: 10 }, () => ({ op: 'utils/hash', params: { text: 'a' } }))
  const body = await refuse('pipeline.run', { file: { text: 'a' }, steps })
  const faults = body!.faults as { allowed?: string[] }[]
  expect(body!.allowed).toContain('data/sql')
  expect(faults).toHaveLength(10)
  expect(faults.filter(({ allowed }) => allowed)).toHaveLength(1)
})

test('the list of faults is bounded, and no large body is searched for all of them', async () => {
  const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`zz${index}`, 1]))
  expect((await refuse('utils.hash', unknown(100)))!.faults).toHaveLength(10)
  expect(await refuse('utils.hash', unknown(100_000))).not.toHaveProperty('faults')
})

test.each([
  ['image.convert', { file: png, to: 'jpg' }, { to: 'jpeg' }],
  ['pdf.render', { file, format: 'jpg' }, { format: 'jpeg' }],
  ['image.ocr', { file: png, language: 'de' }, { languages: ['de'] }],
  ['text.html-to-text', { html: '<p>a' }, { text: '<p>a' }],
  ['text.sanitize-html', { html: '<p>a' }, { text: '<p>a' }],
  ['text.markdown-to-html', { markdown: '# a' }, { text: '# a' }],
  [
    'image.composite',
    { file: png, layers: [{ inline: 'YQ==', x: 1 }] },
    { layers: [{ file: { inline: 'YQ==' }, x: 1 }] },
  ],
  [
    'pdf.attachments',
    { file, action: 'add', attachments: [{ text: 'a', name: 'a.txt' }] },
    { attachments: [{ file: { text: 'a' }, name: 'a.txt' }] },
  ],
])('%s takes the usual other words', async (name, input, expected) => {
  expect(await refuse(name, input)).toBeUndefined()
  expect(input).toMatchObject(expected)
})

test('another word beside the right one is refused', async () => {
  expect(await refuse('text.html-to-text', { html: 'a', text: 'b' })).toMatchObject({
    code: 'UNKNOWN_FIELD',
    field: 'html',
  })
})

test.each([
  ['image.resize', 'width', expect.stringContaining('integer')],
  ['pdf.from-html', 'assets.0.name', 'string'],
  ['pdf.bookmarks', 'bookmarks', 'array'],
  ['utils.uuid', 'namespace', 'string'],
])('what %s itself finds missing, as %s, is told with its type and an example', async (name, field, expected) => {
  const { input } = await loadOperation(name)
  const described = withFieldHints(input, new Problem('MISSING_FIELD', { field })) as Problem
  expect(described.hints).toMatchObject({ field, expected, example: expect.anything() })
  const other = new Problem('BAD_RANGE', { field })
  expect(withFieldHints(input, other)).toBe(other)
})

test('a step that there is not is told with all that there are, on tables and on files', async () => {
  const refused = await refuse('pipeline.run', { file, steps: [{ op: 'text/slugfy' }] })
  expect(refused).toMatchObject({ code: 'INVALID_PARAM', field: 'steps.0.op', didYouMean: 'text/slugify' })
  expect(refused!.allowed).toEqual(expect.arrayContaining(['data/filter', 'text/slugify', 'pdf/merge']))
})

test('a file with a name may be given as a source beside its name', async () => {
  const { input: schema } = await loadOperation('archive.zip')
  const body = { files: [{ file: { text: 'a' }, name: 'a.txt' }, { file: { text: 'b', name: 'b.txt' } }] }
  validate(schema, body)
  expect(body.files).toEqual([
    { text: 'a', name: 'a.txt' },
    { text: 'b', name: 'b.txt' },
  ])
  const twice = { files: [{ file: { text: 'a', name: 'a.txt' }, name: 'b.txt' }] }
  expect(await refuse('archive.zip', twice)).toMatchObject({ code: 'UNKNOWN_FIELD', field: 'files.0.file' })
  const beside = { files: [{ file: { text: 'a' }, text: 'b' }] }
  expect(await refuse('archive.zip', beside)).toMatchObject({ code: 'UNKNOWN_FIELD', field: 'files.0.file' })
})

import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { Problem } from '#kit'
import { validate } from '../../api/intake/validate.ts'
import { loadOperation } from '../../tasks/index.ts'

const TOOL = { isTool: true } as const
const file = { text: 'a,b\n1,2\n' }
const png = { inline: 'iVBORw0KGgo=' }
const KEY = 'scratch/01a22f9f-981f-7c21-9328-2912aa25a23f/60b27955-a4f8-4a2d-a16c-7d78ff357b33'

async function read(name: string, input: object): Promise<object> {
  const { input: schema } = await loadOperation(name)
  const given = structuredClone(input)
  validate(schema, given, TOOL)
  return given
}

async function refuse(name: string, input: object): Promise<unknown> {
  return read(name, input).catch(error => (error instanceof Problem ? error.toBody() : error))
}

test.each([
  ['a number as a text', 'data.sample', { file, n: '2' }, { n: 2 }],
  ['a boolean as a text', 'data.profile', { file, correlations: 'True' }, { correlations: true }],
  ['a number for pages', 'pdf.rotate', { file, degrees: '90', pages: 1 }, { pages: '1' }],
  ['one for a list', 'data.pivot', { file, index: 'city', columns: 'b', values: 'a' }, { index: ['city'] }],
  [
    'a file for a list of files',
    'archive.zip',
    { files: { text: 'a', name: 'a.txt' } },
    { files: [{ name: 'a.txt' }] },
  ],
  [
    'a list of words with commas',
    'utils.hash',
    { text: 'a', algorithms: 'md5, SHA-256' },
    { algorithms: ['md5', 'sha256'] },
  ],
  ['a list in JSON', 'data.pivot', { file, index: '["a","b"]', columns: 'c', values: 'd' }, { index: ['a', 'b'] }],
  ['an object in JSON', 'data.rename', { file, map: '{"a":"b"}' }, { map: { a: 'b' } }],
  ['a corner', 'pdf.watermark', { file, text: 'a', position: 'top-right' }, { position: 'northeast' }],
  [
    'a corner in a list',
    'image.composite',
    { file: png, layers: [{ text: 'a', gravity: 'Bottom Center' }] },
    { layers: [{ gravity: 'south' }] },
  ],
  ['a word in capitals', 'image.convert', { file: png, to: 'WEBP' }, { to: 'webp' }],
  ['a word with another ending', 'text.case', { text: 'a', to: 'snake_case' }, { to: 'snake' }],
  ['a word in the singular', 'utils.time', { action: 'difference', time: 1, until: 2, unit: 'day' }, { unit: 'days' }],
  [
    'words for one',
    'utils.time',
    { action: 'difference', time: 1, until: 2, unit: 'business days' },
    { unit: 'businessDays' },
  ],
  ['the kind of a body in capitals', 'pdf.pages', { file, action: 'Delete', pages: '1' }, { action: 'delete' }],
  [
    'the kind of an inner object in capitals',
    'codes.qr',
    { data: { kind: 'vCard', name: 'Ada' } },
    { data: { kind: 'vcard' } },
  ],
  ['a name in another spelling', 'pdf.layout', { file, action: 'resize', page_size: 'a5' }, { pageSize: 'A5' }],
  ['a word by another name', 'media.audio-convert', { file: png, format: 'MP3' }, { to: 'mp3' }],
  ['two by other names', 'image.convert', { image: png, format: 'webp' }, { file: png, to: 'webp' }],
  ['a file by another name', 'pdf.rotate', { document: file, degrees: '90' }, { file }],
  ['rows beside the file', 'data.sort', { rows: [{ a: 1 }], by: ['a'] }, { file: { rows: [{ a: 1 }] } }],
  ['a text for an object that needs it alone', 'data.sort', { file, by: 'a' }, { by: [{ column: 'a' }] }],
  [
    'rows beside the name of a sheet',
    'data.to-xlsx',
    { sheets: [{ name: 'S', rows: [{ a: 1 }] }] },
    { sheets: [{ name: 'S', file: { rows: [{ a: 1 }] } }] },
  ],
  ['the bytes of a file in place of it', 'image.convert', { ...png, to: 'webp' }, { file: png }],
  [
    'a file with its name and type',
    'image.convert',
    { file: { ...png, name: 'a.png', mimeType: 'b' }, to: 'webp' },
    {},
  ],
  ['a key as a file', 'pdf.rotate', { file: KEY, degrees: '90' }, { file: { inputKey: KEY } }],
  [
    'an address as a file',
    'pdf.rotate',
    { file: 'https://example.com/a.pdf', degrees: '90' },
    { file: { url: 'https://example.com/a.pdf' } },
  ],
  ['a data address as a file', 'image.ocr', { file: 'data:image/png;base64,iVBORw0KGgo=' }, { file: png }],
  [
    'an output as a file',
    'pdf.rotate',
    { file: { outputKey: KEY, outputUrl: 'http://a', sizeBytes: 1, contentType: 'b', inline: 'YQ==' }, degrees: '90' },
    { file: { inputKey: KEY } },
  ],
  [
    'the name of a file as answers call it',
    'archive.zip',
    { files: [{ text: 'a', filename: 'a.txt' }] },
    { files: [{ name: 'a.txt' }] },
  ],
  ['the name base64 in a file', 'image.ocr', { file: { base64: 'iVBORw0KGgo=' } }, { file: png }],
  ['the phone of a contact', 'codes.qr', { data: { kind: 'vcard', name: 'Ada', phone: '1' } }, { data: { tel: '1' } }],
  ['null for an option', 'pdf.rotate', { file, degrees: '90', password: null, pages: null }, { pages: 'all' }],
])('%s is read as what it means', async (_title, name, input, expected) => {
  expect(await read(name, input)).toMatchObject(expected)
})

const Span = Type.Object(
  {
    ttlSeconds: Type.Integer({ maximum: 604_800 }),
    expiresInDays: Type.Optional(Type.Integer()),
    limitMicros: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,14}$' })),
    country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
    note: Type.Optional(Type.String()),
    amountUsd: Type.Optional(Type.String({ pattern: '^\\d{1,7}(\\.\\d{1,2})?$' })),
  },
  { additionalProperties: false },
)

test.each([
  [{ ttlSeconds: '2h' }, { ttlSeconds: 7_200 }],
  [{ ttlSeconds: '90' }, { ttlSeconds: 90 }],
  [{ ttlSeconds: '7 days' }, { ttlSeconds: 604_800 }],
  [{ ttl_seconds: 'PT1H30M' }, { ttlSeconds: 5_400 }],
  [{ ttlSeconds: 1, expiresInDays: '2 weeks' }, { expiresInDays: 14 }],
  [{ ttlSeconds: 1, limitMicros: 5_000 }, { limitMicros: '5000' }],
  [{ ttlSeconds: 1, country: 'cy' }, { country: 'CY' }],
  [{ ttlSeconds: 1, note: 5 }, { note: '5' }],
  [{ ttlSeconds: 1, amountUsd: 5.25 }, { amountUsd: '5.25' }],
])('%j is counted in the unit of its field', (input, expected) => {
  validate(Span, input, TOOL)
  expect(input).toMatchObject(expected)
})

test.each([
  [{ ttlSeconds: '2 moons' }, 'ttlSeconds'],
  [{ ttlSeconds: '8d' }, 'ttlSeconds'],
  [{ ttlSeconds: '0.5' }, 'ttlSeconds'],
  [{ ttlSeconds: 1, expiresInDays: '1h' }, 'expiresInDays'],
  [{ ttlSeconds: 1, note: 1e21 }, 'note'],
  [{ ttlSeconds: 1, amountUsd: 5.255 }, 'amountUsd'],
  [{ ttlSeconds: 1, country: 'cyp' }, 'country'],
])('%j is refused as it was sent', (input, field) => {
  const given = structuredClone(input)
  expect(() => validate(Span, given, TOOL)).toThrow(Problem)
  expect(given).toEqual(input)
  try {
    validate(Span, given, TOOL)
  } catch (error) {
    expect((error as Problem).toBody()).toMatchObject({ code: 'INVALID_PARAM', field })
  }
})

test.each([
  ['two spellings of one name', 'pdf.layout', { file, action: 'resize', pageSize: 'A5', page_size: 'A6' }, 'page_size'],
  ['JSON with an unsafe key', 'data.rename', { file, map: '{"__proto__":"b"}' }, 'map'],
  ['a name in the plural', 'utils.hash', { texts: 'a' }, 'texts'],
  ['a number by another name', 'media.speed', { file: png, speed: 2 }, 'factor'],
  ['a word beside the one that is given', 'media.audio-convert', { file: png, to: 'mp3', format: 'mp3' }, 'format'],
  ['two names for one word', 'media.audio-convert', { file: png, output: 'mp3', format: 'mp3' }, 'to'],
  ['rows beside a file that is given', 'data.sort', { file, rows: [{ a: 1 }], by: [{ column: 'a' }] }, 'rows'],
  ['a name that is no text', 'image.convert', { file: { ...png, name: {} }, to: 'webp' }, 'file.name'],
  ['a path as a file', 'pdf.rotate', { file: '/home/me/a.pdf', degrees: '90' }, 'file'],
  ['a word of which two could be meant', 'media.audio-convert', { file: png, to: 'o' }, 'to'],
  ['null for all that is needed', 'utils.hash', { text: null }, 'text'],
  ['null for a field that is needed', 'image.convert', { file: png, to: null }, 'to'],
])('%s is refused', async (_title, name, input, field) => {
  expect(await refuse(name, input)).toMatchObject({ field })
})

test.each([
  ['pdf.rotate', { file, degrees: '90', pages: 1 }, { code: 'INVALID_PARAM', field: 'pages' }],
  ['pdf.pages', { file, action: 'Delete', pages: '1' }, { code: 'INVALID_PARAM', field: 'action' }],
  ['pdf.layout', { file, action: 'resize', page_size: 'A5' }, { code: 'UNKNOWN_FIELD', field: 'page_size' }],
])('%s is strict over REST', async (name, input, expected) => {
  const { input: schema } = await loadOperation(name)
  try {
    validate(schema, input)
    expect.unreachable()
  } catch (error) {
    expect((error as Problem).toBody()).toMatchObject(expected)
  }
})

import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileOutput, Problem } from '#kit'
import { ENCODINGS, VARIANTS } from '../formats/encodings/codecs.ts'
import { CHARSETS } from './base64/charset.ts'
import { decodeContent, encodeContent, type Request } from './base64/convert.ts'
import { CONTENT_PRICE, contentFields } from './schema.ts'

export default define({
  summary: 'Encode or decode base64, base32, base58, base85 or hex.',
  keywords: 'encode, decode, base32, base58, hex, data url, binary to text, base64url, decode a base64 string',
  converts: [
    { from: 'text file image', to: 'base64' },
    { from: 'base64', to: 'text file image' },
  ],
  description:
    'Decoding returns text if the bytes are text, otherwise a file of the detected type. Results above 1 MiB are ' +
    'returned as files. base85 is Ascii85 as Adobe defines it; base58 is that of Bitcoin, for at most 32 KiB. A `data:` ' +
    'prefix is removed before base64 is decoded.',
  price: CONTENT_PRICE,
  uses: [],
  // The work of base58 grows faster than its input.
  instant: { maxBytes: 65_536, when: ({ encoding }) => encoding !== 'base58' },
  input: Type.Object({
    action: Choice(['encode', 'decode']),
    ...contentFields('The content to encode or decode'),
    encoding: Choice(ENCODINGS, { default: 'base64' }),
    variant: Choice(VARIANTS, {
      default: 'standard',
      description: 'For base64 only: `url` uses - and _, `mime` breaks lines at 76 characters.',
    }),
    padding: Type.Boolean({
      default: true,
      description: 'Whether base64 and base32 are padded with =; decoding expects the same.',
    }),
    charset: Choice(CHARSETS, {
      default: 'utf-8',
      description: 'The charset of `text` when encoding, and of the result when decoding.',
    }),
    dataUri: Type.Union(
      [Type.Boolean(), Type.String({ maxLength: 127, pattern: '^[\\w.+-]+/[\\w.+-]+(;[\\w-]+=[\\w.+-]+)*$' })],
      {
        default: false,
        description:
          'Encoding: write a data URI, with this content type if one is given. Decoding: require one, or set the content type.',
      },
    ),
    lenient: Type.Boolean({
      default: false,
      description: 'Decoding skips white space, accepts both alphabets and does not require padding.',
    }),
    outFormat: Type.Optional(Choice(['json', 'file'], { description: 'Left out: JSON for text up to 1 MiB.' })),
  }),
  output: Type.Object({
    text: Type.Optional(Type.String()),
    output: Type.Optional(FileOutput('*/*')),
    sizeBytes: Type.Integer({ minimum: 0, description: 'Size of the encoded text, or of the decoded bytes.' }),
    contentType: Type.Optional(Type.String({ description: 'The content type that decoding detected.' })),
  }),
  errors: ['CONFLICTING_OPTIONS', 'BASE64_INVALID'],
  examples: [
    {
      title: 'Encode a text',
      input: { action: 'encode', text: 'Many hands make light work.' },
      answer: { text: 'TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsu', sizeBytes: 36 },
    },
    {
      title: 'Read a value from a URL',
      input: { action: 'decode', text: '8J-Qog', variant: 'url', padding: false },
      answer: { text: '🐢', sizeBytes: 4, contentType: 'text/plain' },
    },
    {
      title: 'Write bytes in base58',
      input: { action: 'encode', text: 'Hello World!', encoding: 'base58' },
      answer: { text: '2NEpo7TZRRrLZSi2U' },
    },
  ],

  async run(input) {
    const given = exactlyOne(input, ['text', 'file'])
    const isEncoding = input.action === 'encode'
    const fields = isEncoding ? encodingConflict(input, given) : basicConflict(input)
    if (fields) throw new Problem('CONFLICTING_OPTIONS', { fields })
    return { result: isEncoding ? await encodeContent(input) : await decodeContent(input) }
  },
})

/** The fields that exclude each other, if any. */
function basicConflict({ encoding, variant, dataUri }: Request): string[] | undefined {
  if (encoding === 'base64') return undefined
  if (variant !== 'standard') return ['variant', 'encoding']
  return dataUri === false ? undefined : ['dataUri', 'encoding']
}

function encodingConflict(request: Request, given: 'text' | 'file'): string[] | undefined {
  const { variant, padding, dataUri, charset, lenient } = request
  if (dataUri !== false && (variant !== 'standard' || !padding)) return ['dataUri', 'variant', 'padding']
  if (given === 'file' && charset !== 'utf-8') return ['charset', 'file']
  return lenient ? ['lenient', 'action'] : basicConflict(request)
}

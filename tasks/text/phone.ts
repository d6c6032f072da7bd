import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileInput, Warnings } from '#kit'
import { readContent, textPrice } from './schema.ts'

const TYPES = [
  ...(['fixed-line', 'mobile', 'fixed-line-or-mobile', 'toll-free', 'premium-rate', 'shared-cost', 'voip'] as const),
  ...(['personal-number', 'pager', 'company-number', 'voicemail'] as const),
]
const REASONS = [
  ...(['not-a-number', 'country-missing', 'calling-code-unknown', 'too-short', 'too-long', 'wrong-length'] as const),
  'not-assigned' as const,
]
const Text = Type.Optional(Type.String())
const GIVE_ONE = 'Give one of numbers, text and file.'

export default define({
  summary: 'Check phone numbers and write them in one format, or find them in a text.',
  keywords:
    'phone number, telephone, is a phone number valid, validate, format, normalise, e164, e.164, international format, country of a number, mobile or landline, extension, extract phone numbers, find phone numbers in a text, area code',
  description:
    'Knows the numbering plans of all countries, not whether a number is in use. In a text only valid numbers are found; ' +
    'those without a calling code need `country`.',
  price: textPrice(['text', 'numbers']),
  uses: ['phoneNumbers'],
  input: Type.Object({
    numbers: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 250 }), { minItems: 1, maxItems: 1000, description: GIVE_ONE }),
    ),
    text: Type.Optional(Type.String({ description: 'A text to search, at most 4 MiB.' })),
    file: Type.Optional(FileInput({ description: 'A text file to search.' })),
    country: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2}$',
        description: 'Where numbers without a calling code belong, such as US or GB.',
      }),
    ),
    limit: Type.Integer({ default: 1000, minimum: 1, maximum: 10_000, description: 'Of numbers found in a text.' }),
  }),
  output: Type.Object({
    count: Type.Integer({ minimum: 0 }),
    valid: Type.Integer({ minimum: 0, description: 'How many are valid.' }),
    truncated: Type.Boolean({ description: 'Whether the text has more numbers than `limit`.' }),
    numbers: Type.Array(
      Type.Object({
        input: Type.String({ description: 'As it was written.' }),
        valid: Type.Boolean(),
        possible: Type.Boolean({ description: 'It has a length that its country uses.' }),
        reason: Type.Optional(Choice(REASONS, { description: 'Why it is not valid.' })),
        e164: Type.Optional(Type.String({ description: 'Without the extension; left out if not possible.' })),
        international: Text,
        national: Text,
        uri: Text,
        country: Type.Optional(Type.String({ description: 'Left out for numbers of no country, such as +800.' })),
        callingCode: Text,
        type: Type.Optional(Choice(TYPES)),
        extension: Text,
        index: Type.Optional(Type.Integer({ description: 'In the text, in UTF-16 code units.' })),
        line: Type.Optional(Type.Integer({ minimum: 1 })),
      }),
    ),
    warnings: Warnings,
  }),
  errors: [
    'INVALID_PARAM',
    'CONFLICTING_OPTIONS',
    'UNSUPPORTED_FORMAT',
    'TIME_LIMIT_EXCEEDED',
    'MEMORY_LIMIT_EXCEEDED',
  ],
  examples: [
    {
      title: 'A German and an American number',
      input: { numbers: ['030 901820', '+1 (213) 373-4253 ext. 12'], country: 'DE' },
      answer: {
        count: 2,
        valid: 2,
        numbers: [
          { e164: '+4930901820', international: '+49 30 901820', country: 'DE', type: 'fixed-line' },
          { e164: '+12133734253', national: '(213) 373-4253 ext. 12', country: 'US', extension: '12' },
        ],
      },
    },
    {
      title: 'Numbers in a text',
      input: { text: 'Call +44 20 7946 0018, not 12345.' },
      answer: { count: 1, numbers: [{ input: '+44 20 7946 0018', e164: '+442079460018', index: 5, line: 1 }] },
    },
    {
      title: 'A number that is too short',
      input: { numbers: ['+49 12'] },
      answer: { valid: 0, numbers: [{ valid: false, possible: false, reason: 'too-short' }] },
    },
  ],

  async run({ numbers: given, text, file, country, limit }, { phoneNumbers }) {
    if (exactlyOne({ numbers: given, text, file }, ['numbers', 'text', 'file']) === 'numbers') {
      const numbers = await phoneNumbers.readEach(given!, { country })
      return { result: { ...count(numbers), truncated: false, numbers } }
    }
    const { text: content, warnings } = await readContent({ text, file })
    const { numbers, truncated } = await phoneNumbers.find(content, { country, limit })
    return { result: { ...count(numbers), truncated, numbers }, warnings }
  },
})

function count(numbers: readonly { valid: boolean }[]) {
  return { count: numbers.length, valid: numbers.filter(({ valid }) => valid).length }
}

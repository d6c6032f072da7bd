import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileOutput, Warnings } from '#kit'
import { isIban } from '../formats/invoice/iban.ts'
import { PRESET_NAMES, PRESETS } from './regex-extract/presets.ts'
import { REFINEMENTS } from './regex-extract/refine.ts'
import { answerText, fitsInline, OUT_FORMAT, readContent, TEXT_OR_FILE, textPrice } from './schema.ts'

const Nullable = Type.Union([Type.String(), Type.Null()])

export default define({
  summary: 'Find all matches of a regular expression, and optionally replace them.',
  keywords:
    'regex, pattern, find all, search and replace, match, grep, email addresses, urls, is an iban valid, check an iban, capture, redact text, black out email addresses and phone numbers, mask, anonymise, find personal data, pii, find all dates in a text, is this email address valid',
  description:
    'RE2 syntax, which runs in linear time for every pattern: no lookaround, no backreferences. All matches are ' +
    'found, with or without the flag g. In `replace`, $1 and $<name> are groups and $$ is a dollar.',
  price: textPrice(),
  uses: ['regex'],
  input: Type.Object({
    ...TEXT_OR_FILE,
    pattern: Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description: 'Give pattern or preset.' })),
    preset: Type.Optional(
      Choice(PRESET_NAMES, {
        description:
          '`phone` finds numbers with a country or area code, not bare digits; `date` those such as 2026-05-03, 3.5.2026 and 3 May 2026, as written.',
      }),
    ),
    flags: Type.String({ default: 'g', pattern: '^[gimsu]{0,5}$' }),
    group: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: 1000 }), Type.String({ minLength: 1, maxLength: 100 })], {
        description: 'The group to return as the match.',
      }),
    ),
    named: Type.Boolean({ default: true, description: 'Include the named groups.' }),
    limit: Type.Integer({ default: 1000, minimum: 1, maximum: 100_000 }),
    replace: Type.Optional(Type.String({ maxLength: 65_536 })),
    dialect: Choice(['re2'], { default: 're2' }),
    outFormat: OUT_FORMAT,
  }),
  output: Type.Object({
    count: Type.Integer({ minimum: 0 }),
    truncated: Type.Boolean({ description: 'Whether there are more matches than `limit`.' }),
    matches: Type.Optional(
      Type.Array(
        Type.Object({
          match: Type.String(),
          index: Type.Integer({ description: 'In UTF-16 code units.' }),
          line: Type.Integer(),
          groups: Type.Array(Nullable),
          valid: Type.Optional(Type.Boolean({ description: 'Of `iban`: whether its check digits are right.' })),
          named: Type.Optional(Type.Unsafe<Record<string, string | null>>({ type: 'object' })),
        }),
      ),
    ),
    text: Type.Optional(Type.String()),
    output: Type.Optional(FileOutput(['text/plain', 'application/json'])),
    warnings: Warnings,
  }),
  errors: ['CONFLICTING_OPTIONS', 'REGEX_INVALID', 'REGEX_UNSUPPORTED', 'TIME_LIMIT_EXCEEDED'],
  examples: [
    {
      title: 'Keys and values',
      input: { text: 'a=1\nb=22', pattern: '(?P<key>\\w)=(?P<value>\\d+)' },
      answer: {
        count: 2,
        matches: [
          { match: 'a=1', index: 0, line: 1, groups: ['a', '1'], named: { key: 'a', value: '1' } },
          { match: 'b=22', index: 4, line: 2 },
        ],
      },
    },
    {
      title: 'Addresses of mail',
      input: { text: 'Write to ada@example.com or bob@example.org.', preset: 'email' },
      answer: { count: 2 },
    },
    {
      title: 'Check an IBAN',
      input: { text: 'DE89 3704 0044 0532 0130 00', preset: 'iban' },
      answer: { count: 1, matches: [{ match: 'DE89 3704 0044 0532 0130 00', index: 0, line: 1, valid: true }] },
    },
    {
      title: 'Swap two words',
      input: { text: 'hello world', pattern: '(\\w+) (\\w+)', replace: '$2 $1' },
      answer: { text: 'world hello' },
    },
  ],

  async run({ text, file, preset, flags, group, named, limit, replace, outFormat, ...input }, { regex }) {
    const given = exactlyOne({ pattern: input.pattern, preset }, ['pattern', 'preset'])
    const pattern = { pattern: given === 'preset' ? PRESETS[preset!] : input.pattern!, flags }
    const refine = preset && REFINEMENTS[preset]
    const { text: content, warnings } = await readContent({ text, file })
    const { matches: plain, truncated } = await regex.extract(content, pattern, { group, named, limit, refine })
    const matches =
      preset === 'iban' ? plain.map(one => ({ ...one, valid: isIban(one.match.replaceAll(' ', '')) })) : plain
    const found = { count: matches.length, truncated }
    if (replace !== undefined) {
      const replaced = await regex.replace(content, pattern, replace, refine)
      const answer = answerText(replaced, outFormat, file?.name ?? 'replaced.txt')
      return { result: { ...found, matches, ...answer }, warnings }
    }
    const json = JSON.stringify(matches)
    if (outFormat !== 'file' && fitsInline(json)) return { result: { ...found, matches }, warnings }
    const output = { bytes: Buffer.from(json), contentType: 'application/json', name: 'matches.json' }
    return { result: { ...found, output }, warnings }
  },
})

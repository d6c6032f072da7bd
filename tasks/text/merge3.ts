import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, Problem, Warnings } from '#kit'
import { readTextFile } from '../formats/charsets/read-text.ts'
import { majorityLineEnd, normalizeLineEnds, TokenInterner, tokenize } from '../formats/diff/tokens.ts'
import { mergeJson } from './merge3/json.ts'
import { alignChanges, mergeRegions } from './merge3/merge.ts'
import { answerText, OUT_FORMAT, textPrice } from './schema.ts'

const SIDES = ['base', 'ours', 'theirs'] as const
const LABEL = { maxLength: 255, pattern: '^[^\\r\\n]*$' }

export default define({
  summary: 'Merge two versions of a text that have a common ancestor.',
  keywords: 'three way merge, resolve conflicts, git merge, ours theirs base, combine edits',
  description:
    'Changes of one side are taken. Where both sides changed the same place there is a conflict, which is marked as in git ' +
    'or resolved as onConflict says. JSON is merged member by member. Line ends become the most frequent ones of ours.',
  price: textPrice([]),
  uses: ['textDiff'],
  input: Type.Object({
    base: FileInput({ description: 'The common ancestor: a source such as {"text": "..."}.', allowEmpty: true }),
    ours: FileInput({ allowEmpty: true }),
    theirs: FileInput({ allowEmpty: true }),
    granularity: Choice(['lines', 'words', 'json'], { default: 'lines' }),
    labels: Type.Object(
      {
        ours: Type.String({ default: 'ours', ...LABEL }),
        base: Type.String({ default: 'base', ...LABEL }),
        theirs: Type.String({ default: 'theirs', ...LABEL }),
      },
      { default: { ours: 'ours', base: 'base', theirs: 'theirs' } },
    ),
    onConflict: Choice(['markers', 'ours', 'theirs', 'union', 'error'], { default: 'markers' }),
    diff3Style: Type.Boolean({ default: true, description: 'Show the base in marked conflicts.' }),
    outFormat: OUT_FORMAT,
  }),
  output: Type.Object({
    text: Type.Optional(Type.String()),
    output: Type.Optional(FileOutput(['text/plain', 'application/json'])),
    clean: Type.Boolean({ description: 'Whether there was no conflict.' }),
    conflicts: Type.Array(
      Type.Object({
        start: Type.Integer({ description: 'Line of the result, from 1. By words: character, from 0. For JSON: 0.' }),
        end: Type.Integer(),
        base: Type.String(),
        ours: Type.String(),
        theirs: Type.String(),
        path: Type.Optional(Type.String({ description: 'Path in the JSON.' })),
      }),
    ),
    warnings: Warnings,
  }),
  errors: ['MERGE_CONFLICT', 'JSON_PARSE_FAILED', 'UNSUPPORTED_FORMAT', 'TIME_LIMIT_EXCEEDED'],
  examples: [
    {
      title: 'Changes in different places',
      input: { base: { text: 'a\nb\nc\n' }, ours: { text: 'A\nb\nc\n' }, theirs: { text: 'a\nb\nC\n' } },
      answer: { text: 'A\nb\nC\n', clean: true, conflicts: [] },
    },
    {
      title: 'A conflict, marked',
      input: { base: { text: 'a\n' }, ours: { text: 'b\n' }, theirs: { text: 'c\n' }, diff3Style: false },
      answer: { text: '<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n', clean: false },
    },
    {
      title: 'JSON member by member',
      input: {
        base: { text: '{"a":1}' },
        ours: { text: '{"a":1,"b":2}' },
        theirs: { text: '{"a":3}' },
        granularity: 'json',
      },
      answer: { text: '{"a":3,"b":2}', clean: true },
    },
  ],

  async run(input, { textDiff }) {
    const read = [await readTextFile(input.base), await readTextFile(input.ours), await readTextFile(input.theirs)]
    const [base, ours, theirs] = read.map(({ text }) => text) as [string, string, string]
    const warnings = read.flatMap(({ warnings: own }) => own ?? [])
    const { granularity, onConflict, outFormat } = input
    const merged = granularity === 'json' ? mergeJson({ base, ours, theirs }, input) : await mergeTexts()
    if (merged.conflicts.length > 0 && onConflict === 'error') {
      throw new Problem('MERGE_CONFLICT', { conflicts: merged.conflicts.slice(0, 20) })
    }
    const [type, name] = granularity === 'json' ? ['application/json', 'merged.json'] : ['text/plain', 'merged.txt']
    const answer = answerText(merged.text, outFormat, name, type)
    return { result: { ...answer, clean: merged.conflicts.length === 0, conflicts: merged.conflicts }, warnings }

    async function mergeTexts() {
      const level = granularity === 'words' ? 'words' : 'lines'
      const pieces = [base, ours, theirs].map(text => tokenize(normalizeLineEnds(text), level))
      const sides = Object.fromEntries(SIDES.map((side, index) => [side, pieces[index]!])) as Record<
        (typeof SIDES)[number],
        string[]
      >
      const numbering = new TokenInterner()
      const [inBase, inOurs, inTheirs] = pieces.map(piece => numbering.intern(piece)) as [
        Int32Array,
        Int32Array,
        Int32Array,
      ]
      const [oursPairs, theirsPairs] = [
        await textDiff.findMatches(inBase, inOurs),
        await textDiff.findMatches(inBase, inTheirs),
      ]
      const lengths = { base: inBase.length, ours: inOurs.length, theirs: inTheirs.length }
      const { text, conflicts } = mergeRegions(alignChanges(oursPairs, theirsPairs, lengths), sides, input)
      return { text: text.replaceAll('\n', majorityLineEnd(ours)), conflicts }
    }
  },
})

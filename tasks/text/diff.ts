import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, Problem, Warnings } from '#kit'
import {
  buildEdits,
  computeStats,
  formatHtml,
  formatSideBySide,
  formatUnified,
  listOps,
} from '../formats/diff/edits.ts'
import { GRANULARITIES, TokenInterner, tokenize } from '../formats/diff/tokens.ts'
import { answerDiff, answerOps } from './diff/answer.ts'
import { createKeyFunction, readBoth } from './diff/sides.ts'
import { OUT_FORMAT, textPrice } from './schema.ts'

const NAME = { minLength: 1, maxLength: 255, pattern: '^[^\\r\\n\\t]+$' }

export default define({
  summary: 'Compare two texts, or two JSON documents.',
  keywords:
    'unified diff, compare, json patch of two documents, changes, changed, difference, versions, redline, json diff, what changed between two texts, show changes, two versions of a paragraph, what changed word by word',
  description:
    'Compares by lines, words, characters or sentences. JSON is compared by content, with sorted keys; `jsonPatch` is the RFC ' +
    '6902 patch. The unified format can be applied by patch. Results above 1 MiB are returned as files.',
  price: textPrice([]),
  uses: ['textDiff'],
  input: Type.Object({
    a: FileInput({ description: 'The old text: a source such as {"text": "..."}.', allowEmpty: true }),
    b: FileInput({ description: 'The new text.', allowEmpty: true }),
    granularity: Choice([...GRANULARITIES, 'json'], { default: 'lines' }),
    format: Type.Optional(
      Choice(['unified', 'ops', 'html', 'side-by-side'], {
        description: 'Left out: unified for lines and json, ops for the others. unified and side-by-side are by lines.',
      }),
    ),
    context: Type.Integer({ default: 3, minimum: 0, maximum: 1000, description: 'Lines of context around a change.' }),
    ignoreWhitespace: Type.Boolean({ default: false }),
    ignoreCase: Type.Boolean({ default: false }),
    fileA: Type.String({ default: 'a', ...NAME }),
    fileB: Type.String({ default: 'b', ...NAME }),
    outFormat: OUT_FORMAT,
  }),
  output: Type.Object({
    diff: Type.Optional(Type.String()),
    ops: Type.Optional(Type.Array(Type.Object({ op: Type.String(), value: Type.String(), count: Type.Integer() }))),
    jsonPatch: Type.Optional(Type.Array(Type.Unsafe<object>({ type: 'object' }))),
    jsonPatchText: Type.Optional(
      Type.String({
        description: 'The patch with every digit, if it has numbers that doubles round; apply-patch takes it.',
      }),
    ),
    stats: Type.Object({
      added: Type.Integer({ description: 'Lines, characters, sentences, or words and signs without the white space.' }),
      removed: Type.Integer(),
      changed: Type.Integer({
        description: 'Removals that have a counterpart among the additions; included in both other counts.',
      }),
      similarity: Type.Number({ minimum: 0, maximum: 1 }),
    }),
    output: Type.Optional(FileOutput(['text/x-diff', 'text/html', 'text/plain', 'application/json'])),
    warnings: Warnings,
  }),
  errors: ['CONFLICTING_OPTIONS', 'UNSUPPORTED_FORMAT', 'JSON_PARSE_FAILED', 'TIME_LIMIT_EXCEEDED'],
  examples: [
    {
      title: 'One changed line',
      input: { a: { text: 'one\ntwo\n' }, b: { text: 'one\n2\n' }, fileA: 'old.txt', fileB: 'new.txt' },
      answer: { diff: '--- old.txt\n+++ new.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n', stats: { added: 1, removed: 1 } },
    },
    {
      title: 'JSON by content',
      input: {
        a: { text: '{"b":1,"a":[1,2]}' },
        b: { text: '{"a":[1,2,3],"b":1}' },
        granularity: 'json',
        format: 'ops',
      },
      answer: { jsonPatch: [{ op: 'add', path: '/a/2', value: 3 }] },
    },
  ],

  async run(input, { textDiff }) {
    const { granularity, fileA, fileB, context, outFormat } = input
    const byLines = granularity === 'lines' || granularity === 'json'
    const format = input.format ?? (byLines ? 'unified' : 'ops')
    if (!byLines && (format === 'unified' || format === 'side-by-side')) {
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['granularity', 'format'] })
    }
    const { texts, warnings, patch } = await readBoth(input, granularity === 'json')
    const [left, right] = texts.map(text => tokenize(text, granularity === 'json' ? 'lines' : granularity))
    const numbering = new TokenInterner(createKeyFunction(input))
    const pairs = await textDiff.findMatches(numbering.intern(left!), numbering.intern(right!))
    const edits = buildEdits(pairs, left!.length, right!.length)
    const isCounted = (piece: string) => granularity !== 'words' || piece.trim() !== ''
    const found = { stats: computeStats(edits, { left: left!, right: right!, isCounted }), ...patch }
    if (format === 'ops')
      return { result: { ...found, ...answerOps(listOps(edits, left!, right!), outFormat) }, warnings }
    const writers = {
      unified: () => formatUnified(edits, left!, right!, { fileA, fileB, context }),
      html: () => formatHtml(listOps(edits, left!, right!)),
      'side-by-side': () => formatSideBySide(edits, left!, right!),
    }
    return { result: { ...found, ...answerDiff(writers[format](), format, outFormat) }, warnings }
  },
})

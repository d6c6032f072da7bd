import { type Static, Type } from 'typebox'
import { define, exactlyOne, FileOutput, type InputFile, Problem, type Warning, Warnings } from '#kit'
import { answerText, checkTextSize, isShort, readContent, textPrice } from './content-shape.ts'
import { applyJsonPatch, applyMergePatch, type JsonStep } from './json-patch-shape.ts'
import { patchFiles, patchText } from './patch-files-shape.ts'
import { HunkReports, PatchInput } from './patch-input-shape.ts'
import { parsePatch, reversed } from './patch-parse-shape.ts'
import { replaceAllOf } from './replace-shape.ts'
import { parseJson, writeJson } from './tokens-shape.ts'

export default define({
  summary: 'Apply a patch to a text: a unified diff, a JSON patch, or pieces to be found and replaced.',
  description:
    'A diff written by a model is mended before it is applied: fences, wrong counts and numbers, lost spaces, other ' +
    'line ends. A hunk is looked for exactly, then without regard to trailing space, then with less context, then by ' +
    'likeness, and away from the line it names only where it fits in one place.',
  price: textPrice(['text', 'patch']),
  uses: [],
  input: PatchInput,
  output: Type.Object({
    text: Type.Optional(Type.String()),
    files: Type.Optional(Type.Unsafe<Record<string, string>>({ type: 'object' })),
    output: Type.Optional(FileOutput(['text/plain', 'application/json'])),
    applied: Type.Integer({ description: 'How many hunks, steps or replacements.' }),
    hunks: HunkReports,
    rejects: Type.Array(Type.String()),
    warnings: Warnings,
  }),
  errors: ['CONFLICTING_OPTIONS', 'PATCH_INVALID', 'PATCH_REJECTED', 'PATCH_AMBIGUOUS', 'JSON_PARSE_FAILED'],
  examples: [
    {
      title: 'A hunk without numbers, as models write them',
      input: { text: 'one\ntwo\nthree\n', patch: '```diff\n@@ @@\n one\n-two\n+2\n```' },
      answer: { text: 'one\n2\nthree\n', applied: 1 },
    },
    {
      title: 'A JSON merge patch',
      input: { text: '{"a":1,"b":{"c":2}}', mergePatch: { b: { c: null, d: 3 } } },
      answer: { text: '{"a":1,"b":{"d":3}}' },
    },
    {
      title: 'Find and replace',
      input: { text: 'let x = 1', searchReplace: [{ find: 'x = 1', replace: 'x = 2' }] },
      answer: { text: 'let x = 2' },
    },
  ],

  async run(input) {
    const manner = exactlyOne(input, ['patch', 'jsonPatch', 'mergePatch', 'searchReplace'])
    if (input.files) return { result: patchSeveral(input, manner) }
    const { text, warnings } = await readContent(input as { text?: string; file?: InputFile })
    return { result: patchOne(text, manner, input), warnings: warnings as Warning[] | undefined }
  },
})

type Body = Static<typeof PatchInput>

function patchOne(text: string, manner: string, input: Body) {
  const name = input.file?.name ?? 'patched.txt'
  if (manner === 'jsonPatch' || manner === 'mergePatch') {
    const document = parseJson(text)
    const { jsonPatch, mergePatch } = input
    const made = jsonPatch ? applyJsonPatch(document, jsonPatch as JsonStep[]) : applyMergePatch(document, mergePatch)
    return {
      ...answerText(writeJson(made, text), input.outFormat, name),
      applied: jsonPatch?.length ?? 1,
      hunks: [],
      rejects: [],
    }
  }
  const patched =
    input.patch !== undefined ? patchText(text, patchesOf(input), input) : replaceAllOf(text, input.searchReplace!)
  return { ...answerText(patched.text, input.outFormat, name), ...reportOf(patched, input) }
}

function patchesOf({ patch, recountHunks, reverse }: Body) {
  const patches = parsePatch(patch!, recountHunks)
  return reverse ? reversed(patches) : patches
}

function patchSeveral(input: Body, manner: string) {
  const others = (['text', 'file'] as const).filter(field => input[field] !== undefined)
  if (manner !== 'patch' || others.length > 0)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['files', ...others, manner] })
  checkTextSize(Object.values(input.files!).join(''), 'files')
  const { files, ...patched } = patchFiles(input.files!, patchesOf(input), input)
  const text = JSON.stringify(files)
  const report = reportOf(patched, input)
  if (input.outFormat !== 'file' && isShort(text)) return { files, ...report }
  return { output: { bytes: Buffer.from(text), contentType: 'application/json', name: 'patched.json' }, ...report }
}

type Report = Pick<ReturnType<typeof replaceAllOf>, 'hunks' | 'rejects'>

function reportOf({ hunks, rejects }: Report, { onReject }: { onReject: string }) {
  const failed = hunks.filter(({ status }) => status !== 'applied')
  if (failed.length > 0 && onReject === 'error') {
    const isAmbiguous = failed.every(({ status }) => status === 'ambiguous')
    throw new Problem(isAmbiguous ? 'PATCH_AMBIGUOUS' : 'PATCH_REJECTED', { hunks: failed.slice(0, 100) })
  }
  return { applied: hunks.length - failed.length, hunks, rejects }
}

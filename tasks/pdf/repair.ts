import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, Problem, perCall } from '#kit'
import { listFixes, readFileEnds } from './repair/findings.ts'
import { repairInSteps } from './repair/ladder.ts'
import { allowBreakSignatures, ENCRYPTION_REMOVED, PDF, PDF_ERRORS, password, SIGNATURES_REMOVED } from './schema.ts'

const STREAMS_DAMAGED = {
  code: 'STREAMS_DAMAGED',
  message: 'Some content is damaged itself; readers show the part before the damage.',
}

export default define({
  summary: 'Repair a damaged PDF so that it opens.',
  keywords: 'fix, corrupt, broken, cannot open, recover, damaged, truncated, incomplete download, rebuild',
  description:
    'First without loss: tables, lengths and the page tree are rebuilt around the untouched content. Only if that finds ' +
    'no page are the pages interpreted and written anew, which loses form fields and tags. Pages whose content is ' +
    'missing from the file are left out. A sound document is returned unchanged.',
  price: perCall('0.005'),
  uses: ['qpdf', 'libpdf', 'ghostscript', 'poppler'],
  input: Type.Object({
    file: FileInput({ refuse: 'PDF_PARSE_FAILED', description: 'A PDF that may be damaged.' }),
    strategy: Choice(['auto', 'structure', 'rewrite'], {
      default: 'auto',
      description: '`structure` never interprets the pages; `rewrite` always does.',
    }),
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({
    output: FileOutput(PDF),
    healthy: Type.Boolean({
      description: 'Nothing was wrong; unless `strategy` is `rewrite`, the file is returned unchanged.',
    }),
    fixed: Type.Array(Type.String(), { description: 'What was wrong, such as CROSS_REFERENCES or CUT_OFF.' }),
    engine: Choice(['none', 'qpdf', 'rebuild', 'ghostscript']),
    lossy: Type.Boolean({ description: 'Pages, or parts of the document that belong to no page, are lost.' }),
    pages: Type.Integer({ minimum: 1 }),
    pagesDeclared: Type.Optional(Type.Integer({ minimum: 1, description: 'What the damaged document states.' })),
  }),
  errors: [...PDF_ERRORS.filter(code => code !== 'TOO_MANY_PAGES'), 'PDF_SIGNED', 'PDF_UNREPAIRABLE'],
  examples: [
    {
      title: 'A download that broke off',
      input: { file: 'sample:cut-off.pdf' },
      answer: { healthy: false, engine: 'rebuild', lossy: true, pages: 2, pagesDeclared: 3 },
    },
    {
      title: 'A sound document',
      input: { file: 'sample:letter.pdf' },
      answer: { healthy: true, fixed: [], engine: 'none', lossy: false, pages: 2 },
    },
  ],

  async run({ file, strategy, password, allowBreakSignatures }, { qpdf, libpdf, ghostscript, poppler, out }) {
    const ends = await readFileEnds(file)
    const tools = { qpdf, libpdf, ghostscript, poppler, out }
    const found = await repairInSteps(file.path, { strategy, password }, tools)
    const { best, complaints, isEncrypted, pagesDeclared } = found
    if (!best) throw new Problem('PDF_UNREPAIRABLE', { detail: complaints.at(-1)?.slice(0, 200) })
    const { engine, pages } = best
    const fixed = listFixes(complaints, ends, found.hasBrokenTree || engine === 'rebuild')
    const describeOutput = (path: string) => ({ path, contentType: PDF, name: 'repaired.pdf' })
    if (fixed.length === 0 && engine === 'qpdf') {
      const sound = { healthy: true, fixed, engine: 'none' as const, lossy: false, pages }
      return { result: { output: describeOutput(file.path), ...sound, pagesDeclared: pages } }
    }
    if (best.isSigned && !allowBreakSignatures) throw new Problem('PDF_SIGNED')
    const unsigned = best.isSigned ? await libpdf.dropSignatures(best.path, { to: out('unsigned.pdf') }) : best.path
    const isStillDamaged = (await qpdf.check(unsigned)).complaints.length > 0
    const warnings = listWarnings({ isEncrypted, isSigned: best.isSigned, isStillDamaged })
    const lossy = engine === 'ghostscript' || pages < (pagesDeclared ?? 0)
    const facts = { healthy: found.isSound && fixed.length === 0, fixed, engine, lossy, pages, pagesDeclared }
    return { result: { output: describeOutput(unsigned), ...facts }, warnings }
  },
})

function listWarnings(found: { isEncrypted: boolean; isSigned: boolean; isStillDamaged: boolean }) {
  return [
    ...(found.isEncrypted ? [ENCRYPTION_REMOVED] : []),
    ...(found.isSigned ? [SIGNATURES_REMOVED] : []),
    ...(found.isStillDamaged ? [STREAMS_DAMAGED] : []),
  ]
}

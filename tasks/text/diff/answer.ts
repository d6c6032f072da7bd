import type { DiffOp } from '../../formats/diff/edits.ts'
import { fitsInline } from '../schema.ts'

const TYPES = {
  unified: ['text/x-diff', 'changes.diff'],
  html: ['text/html', 'changes.html'],
  'side-by-side': ['text/plain', 'changes.txt'],
} as const

export function answerDiff(diff: string, format: keyof typeof TYPES, outFormat: string | undefined) {
  if (outFormat !== 'file' && fitsInline(diff)) return { diff }
  const [contentType, name] = TYPES[format]
  return { output: { bytes: Buffer.from(diff || '\n'), contentType, name } }
}

export function answerOps(ops: DiffOp[], outFormat: string | undefined) {
  const text = JSON.stringify(ops)
  if (outFormat !== 'file' && fitsInline(text)) return { ops }
  return { output: { bytes: Buffer.from(text), contentType: 'application/json', name: 'changes.json' } }
}

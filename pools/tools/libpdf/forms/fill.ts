import { readFile } from 'node:fs/promises'
import { PDF } from '@libpdf/core'
import { Problem, type Warning } from '#kit'
import type { FieldValue } from '../../../../tasks/formats/pdf/document.ts'
import { FontEmbedder } from '../content/embedded-fonts.ts'
import type { Resolve } from '../objects.ts'
import type { FieldTextStyle } from './appearance.ts'
import { acroFormOf, collectFields, describeFields, type Field, type FieldDescription } from './fields.ts'
import { flattenForm } from './flatten.ts'
import { checkLocks, hasScripts, setField, writeMissingAppearances } from './values.ts'

type XfaKind = 'none' | 'static' | 'dynamic'

export interface FillPlan {
  values: Record<string, FieldValue>
  /** Whether an unknown name or invalid value fails the call; otherwise the field is skipped with a warning. */
  isStrict: boolean
  shouldFlatten: boolean
  textStyle: FieldTextStyle
}

interface FilledForm {
  bytes: Uint8Array
  warnings: Warning[]
}

export async function readForm([file]: string[]): Promise<{ fields: FieldDescription[]; xfa: XfaKind }> {
  const pdf = await PDF.load(await readFile(file!))
  const xfa = detectXfa(pdf)
  const fields = describeFields(pdf)
  if (fields.length === 0 && xfa === 'none') throw new Problem('NO_FORM')
  return { fields, xfa }
}

/** Fills fields, flattens the form, or both. The file is only appended to, so that existing signatures stay valid. */
export async function fillForm([file]: string[], plan: FillPlan): Promise<FilledForm> {
  const pdf = await PDF.load(await readFile(file!))
  const xfa = detectXfa(pdf)
  if (xfa === 'dynamic') throw new Problem('XFA_UNSUPPORTED')
  const fields = collectFields(pdf)
  if (fields.length === 0) throw new Problem('NO_FORM')
  const names = Object.keys(plan.values)
  checkLocks(pdf, fields, names)
  const embedder = new FontEmbedder(pdf)
  const warnings = names.flatMap(name => fillField(pdf, fields, name, plan, embedder))
  const form = acroFormOf(pdf)!
  writeMissingAppearances(pdf, fields, embedder, plan.textStyle)
  if (form.has('NeedAppearances')) form.delete('NeedAppearances')
  if (xfa === 'static') {
    form.delete('XFA')
    warnings.push({
      code: 'XFA_REMOVED',
      message: 'The form also contained XFA, which would hide the filled values; the XFA was removed.',
    })
  }
  if (names.length > 0 && hasScripts(pdf, fields))
    warnings.push({
      code: 'SCRIPTS_NOT_RUN',
      message: 'The form has scripts that compute or validate values; they were not run.',
    })
  if (plan.shouldFlatten) flattenForm(pdf)
  embedder.embed()
  return { bytes: await pdf.save({ incremental: true }), warnings }
}

/** Dynamic XFA has no PDF pages to fill: viewers generate the pages with an XFA engine. */
function detectXfa(pdf: PDF): XfaKind {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const form = acroFormOf(pdf)
  if (!form?.has('XFA')) return 'none'
  const isDynamic = pdf.getCatalog().getBool('NeedsRendering', resolve)?.value || collectFields(pdf).length === 0
  return isDynamic ? 'dynamic' : 'static'
}

const TOO_LONG_TO_SHOW = 'the text is longer than the field; printed or flattened, a page shows only a part of it.'

function fillField(pdf: PDF, fields: Field[], name: string, plan: FillPlan, embedder: FontEmbedder): Warning[] {
  try {
    const found = fields.filter(field => field.name === name)
    if (found.length === 0) throw new Problem('FIELD_NOT_FOUND', { name, nearest: findNearestNames(name, fields) })
    const shown = found.map(field => setField(pdf, field, plan.values[name]!, embedder, plan.textStyle))
    return shown.includes(true) ? [] : [{ code: 'TEXT_CUT_OFF', message: `${name}: ${TOO_LONG_TO_SHOW}` }]
  } catch (error) {
    const isSkippable = error instanceof Problem && ['FIELD_NOT_FOUND', 'FIELD_VALUE_INVALID'].includes(error.code)
    if (plan.isStrict || !isSkippable) throw error
    return [{ code: 'FIELD_SKIPPED', message: `${name}: ${error.hints.detail ?? error.message}` }]
  }
}

function findNearestNames(name: string, fields: readonly Field[]): string[] {
  const names = [...new Set(fields.map(field => field.name))].slice(0, 2000)
  const distanceTo = (other: string) =>
    editDistance(name.toLowerCase().slice(0, 100), other.toLowerCase().slice(0, 100))
  const ranked = names.map(other => ({ other, distance: distanceTo(other) })).sort((a, b) => a.distance - b.distance)
  return ranked.slice(0, 5).map(({ other }) => other)
}

/** The Levenshtein distance. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)))
    row = next
  }
  return row[other.length]!
}

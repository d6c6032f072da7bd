import { readFile } from 'node:fs/promises'
import { PDF } from '@libpdf/core'
import { Problem, type Warning } from '#kit'
import { type Field, fieldsOf, formOf, type ListedField, listed } from './form-fields.ts'
import { flattenForm } from './form-flatten.ts'
import type { LooksWish } from './form-looks.ts'
import { checkLocks, drawUndrawn, type GivenValue, hasScripts, setField } from './form-values.ts'
import { Lettering } from './pdf-lettering.ts'

export type Xfa = 'none' | 'static' | 'dynamic'

export interface FillPlan {
  values: Record<string, GivenValue>
  /** Whether a name or a value that does not fit ends the call; otherwise it is left out and told. */
  isStrict: boolean
  isFlat: boolean
  looks: LooksWish
}

export interface FilledForm {
  bytes: Uint8Array
  warnings: Warning[]
}

export async function listForm([file]: string[]): Promise<{ fields: ListedField[]; xfa: Xfa }> {
  const pdf = await PDF.load(await readFile(file!))
  const xfa = xfaOf(pdf)
  const fields = listed(pdf)
  if (fields.length === 0 && xfa === 'none') throw new Problem('NO_FORM')
  return { fields, xfa }
}

/** Fills fields, flattens the form, or both. The file is only added to, so that signatures before stay valid. */
export async function fillForm([file]: string[], plan: FillPlan): Promise<FilledForm> {
  const pdf = await PDF.load(await readFile(file!))
  const xfa = xfaOf(pdf)
  if (xfa === 'dynamic') throw new Problem('XFA_UNSUPPORTED')
  const fields = fieldsOf(pdf)
  if (fields.length === 0) throw new Problem('NO_FORM')
  const names = Object.keys(plan.values)
  checkLocks(pdf, fields, names)
  const lettering = new Lettering(pdf)
  const warnings = names.flatMap(name => filled(pdf, fields, name, plan, lettering))
  const form = formOf(pdf)!
  drawUndrawn(pdf, fields, lettering, plan.looks)
  if (form.has('NeedAppearances')) form.delete('NeedAppearances')
  if (xfa === 'static') {
    form.delete('XFA')
    warnings.push({
      code: 'XFA_REMOVED',
      message: 'The form also had XFA, which would hide the values; it was removed.',
    })
  }
  if (names.length > 0 && hasScripts(pdf, fields))
    warnings.push({
      code: 'SCRIPTS_NOT_RUN',
      message: 'Scripts of the form compute or check values; they were not run.',
    })
  if (plan.isFlat) flattenForm(pdf)
  lettering.embed()
  return { bytes: await pdf.save({ incremental: true }), warnings }
}

/** Dynamic XFA has no pages of its own to fill: what a reader shows is made by a program we do not have. */
function xfaOf(pdf: PDF): Xfa {
  const resolve = (ref: Parameters<PDF['getObject']>[0]) => pdf.getObject(ref)
  const form = formOf(pdf)
  if (!form?.has('XFA')) return 'none'
  const isDynamic = pdf.getCatalog().getBool('NeedsRendering', resolve)?.value || fieldsOf(pdf).length === 0
  return isDynamic ? 'dynamic' : 'static'
}

function filled(pdf: PDF, fields: Field[], name: string, plan: FillPlan, lettering: Lettering): Warning[] {
  try {
    const found = fields.filter(field => field.name === name)
    if (found.length === 0) throw new Problem('FIELD_NOT_FOUND', { name, nearest: nearest(name, fields) })
    for (const field of found) setField(pdf, field, plan.values[name]!, lettering, plan.looks)
    return []
  } catch (error) {
    const isUnfit = error instanceof Problem && ['FIELD_NOT_FOUND', 'FIELD_VALUE_INVALID'].includes(error.code)
    if (plan.isStrict || !isUnfit) throw error
    return [{ code: 'FIELD_SKIPPED', message: `${name}: ${error.hints.detail ?? error.message}` }]
  }
}

function nearest(name: string, fields: readonly Field[]): string[] {
  const names = [...new Set(fields.map(field => field.name))].slice(0, 2000)
  const far = (other: string) => distance(name.toLowerCase().slice(0, 100), other.toLowerCase().slice(0, 100))
  const ranked = names.map(other => ({ other, far: far(other) })).sort((a, b) => a.far - b.far)
  return ranked.slice(0, 5).map(({ other }) => other)
}

/** How many letters must change to make one word of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)))
    row = next
  }
  return row[other.length]!
}

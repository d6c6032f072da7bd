import { Problem } from '#kit'
import { Drawing, type DrawnMark } from '../../../../tasks/products/esigndoc/mark.ts'
import { validate } from '../../../intake/validate.ts'

/** A drawn signature, as an object or as its JSON. */
export function readDrawing(data: unknown, field: string): DrawnMark {
  const drawing = typeof data === 'string' ? parse(data, field) : data
  try {
    validate(Drawing, drawing)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem('FIELD_INVALID', { ...error.hints, field, reason: 'width, height and strokes of points' })
  }
  return drawing as DrawnMark
}

function parse(text: string, field: string): unknown {
  if (text === '') throw new Problem('SIGNATURE_EMPTY', { mode: 'draw' })
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem('FIELD_INVALID', { field, reason: 'not JSON' })
  }
}

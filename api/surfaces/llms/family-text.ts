import type { Entry } from '#kit'
import { describeFamily, type SurfaceOptions } from '../entries.ts'
import { renderCallLine } from './call-text.ts'
import { FIELD_NOTATION } from './compact-fields.ts'

/** One family: a line for each of its calls, with fields, defaults and price. */
export function renderFamilyText(family: string, members: readonly Entry[], options: SurfaceOptions): string {
  const note = `In the lists of fields: ${FIELD_NOTATION}. A Source is a file: {"inline": base64}, {"text": ...}, {"inputKey": ...} or {"batonId": ...}. The rules for all calls are in [llms.txt](${options.publicUrl}/llms.txt).`
  const lines = members.map(entry => renderCallLine(entry, options)).join('\n')
  return `${[`# ${family}`, `> ${describeFamily(family)}`, note, lines].join('\n\n')}\n`
}

import type { TSchema } from 'typebox'
import { alternativesOf } from '#kit'
import { renderCodeSpans } from '../../pages/parts/code-spans.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { listFields, listForms } from '../openapi/plain-fields.ts'
import type { Plain } from '../openapi/plain-schema.ts'

const MAX_DEPTH = 3

/** The fields of a schema as a table; a field inside another has the name of both: `page.format`. */
export function renderFieldTable(schema: TSchema, label: string): Html {
  const forms = listForms(schema)
  if (forms.length === 1) return renderTable(forms[0]!, label)
  return html`${forms.map((form, index) => html`<h3>Form ${index + 1}</h3>${renderTable(form, `${label}, form ${index + 1}`)}`)}`
}

function renderTable(schema: Plain, label: string): Html {
  const rows = listRows(schema, '', 0)
  if (rows.length === 0) return html`<p class="dim">None.</p>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

function listRows(schema: Plain, prefix: string, depth: number): Html[] {
  return listFields(schema).flatMap(({ name, field, isRequired }) => {
    const path = `${prefix}${name}`
    const inner = (field.items as Plain | undefined) ?? field
    const isList = field.items !== undefined
    const nested = depth < MAX_DEPTH ? listRows(inner, `${path}${isList ? '[]' : ''}.`, depth + 1) : []
    const row = renderRow(path, field, isRequired)
    return nested.length > 0 ? [row, renderInner(path, nested)] : [row]
  })
}

/** Fields inside of a field are closed at first, as most readers want the outer ones. */
function renderInner(path: string, rows: readonly Html[]): Html {
  return html`<tr class="inner"><td colspan="3"><details><summary>Fields of <code>${path}</code></summary><table class="fields"><tbody>${rows}</tbody></table></details></td></tr>`
}

function renderRow(path: string, field: Plain, isRequired: boolean): Html {
  const { default: defaultValue, description } = field
  const isShown = ['string', 'number', 'boolean'].includes(typeof defaultValue)
  return html`<tr><th scope="row"><code>${path}</code>${isRequired && html`<span class="needed">required</span>`}</th>
<td>${renderType(field)}${isShown && html`<span class="dim">, default <code>${JSON.stringify(defaultValue)}</code></span>`}</td>
<td>${typeof description === 'string' && renderCodeSpans(description)}</td></tr>`
}

function renderType(field: Plain): Html {
  const { $ref, type, items, enum: values, const: constant } = field
  if (typeof $ref === 'string') return html`${$ref.slice($ref.lastIndexOf('/') + 1)}`
  if (constant !== undefined) return html`<code>${String(constant)}</code>`
  if (Array.isArray(values))
    return html`${values.map((value, index) => html`${index > 0 && ', '}<code>${String(value)}</code>`)}`
  const alternatives = alternativesOf(field) as Plain[]
  if (alternatives.length > 0)
    return html`${alternatives.map((one, index) => html`${index > 0 && ' or '}${renderType(one)}`)}`
  if (type === 'array')
    return html`list of ${items ? renderType(items as Plain) : 'anything'}${printRange(field.minItems, field.maxItems)}`
  const range = printRange(field.minimum ?? field.minLength, field.maximum ?? field.maxLength)
  return html`${[type ?? 'anything'].flat().join(' or ')}${range}`
}

function printRange(lower: unknown, upper: unknown): string {
  if (lower === undefined && upper === undefined) return ''
  if (lower === undefined) return `, at most ${upper}`
  return upper === undefined ? `, at least ${lower}` : `, ${lower} to ${upper}`
}

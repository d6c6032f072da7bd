import type { TSchema } from 'typebox'
import { type Entry, fieldEntries, type SchemaNode } from '#kit'
import { fileFieldsOf } from '../../intake/body/file-fields.ts'
import { countOf } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { sampleName } from '../code/sample-input.ts'
import { isPaid } from '../entries.ts'
import { COMMON_FIELDS } from '../openapi/plain-fields.ts'

interface Control {
  name: string
  /** Where the value goes. */
  place: 'path' | 'query' | 'body'
  schema: SchemaNode
  isRequired: boolean
  /** The value of the example. */
  value: unknown
  files: 'one' | 'many' | undefined
  samples: string[]
}

/** A form that makes the call with the reader's own key; the script of the page sends it and shows the answer. */
export function renderTryForm(entry: Entry): Html {
  const controls = listControls(entry)
  const isShown = ({ isRequired, value, files }: Control) => isRequired || value !== undefined || files !== undefined
  const [first, more] = [controls.filter(isShown), controls.filter(control => !isShown(control))]
  return html`<form class="try" data-method="${entry.method}" data-path="${entry.path}" hidden>
<label>Your key<input name="key" type="password" autocomplete="off" spellcheck="false" placeholder="svc_live_… or svc_test_…"></label>
${first.map(renderControl)}
${more.length > 0 && html`<details><summary>${countOf(more.length, 'more field')}</summary>${more.map(renderControl)}</details>`}
<p class="row">${isPaid(entry) && html`<button class="button quiet small" type="submit" name="dryRun" value="true">Show the price</button>`}<button class="button small" type="submit">Send</button></p>
<div class="answer" aria-live="polite"></div></form>`
}

function listControls(entry: Entry): Control[] {
  const [example] = entry.examples
  const given = (example?.input ?? {}) as Record<string, unknown>
  const files = entry.body ? fileFieldsOf(entry.body) : new Map<string, 'one' | 'many'>()
  const places = [
    ['path', entry.params],
    ['query', entry.query],
    ['body', entry.body],
  ] as const
  return places.flatMap(([place, schema]) =>
    fieldsOf(schema).map(([name, field, isRequired]) => ({
      name,
      place,
      schema: field,
      isRequired,
      value: given[name],
      files: place === 'body' ? files.get(name) : undefined,
      samples: [given[name]].flat().flatMap(sampleName),
    })),
  )
}

function fieldsOf(schema: TSchema | undefined): [string, SchemaNode, boolean][] {
  if (!schema) return []
  const required = new Set((schema as SchemaNode).required)
  return fieldEntries(schema)
    .filter(([name]) => !COMMON_FIELDS.has(name))
    .map(([name, field]) => [name, field, required.has(name) && field.default === undefined])
}

function renderControl(control: Control): Html {
  const { name, place, isRequired, files } = control
  const id = `try-${place}-${name}`
  const label = html`<label for="${id}"><code>${name}</code>${isRequired && html` <span class="needed">required</span>`}</label>`
  if (files) return html`<div class="control">${label}${renderPicker(control, id)}</div>`
  return html`<div class="control">${label}${renderInput(control, id)}</div>`
}

/** A file picker, with a button that fills it with what the example sends. */
function renderPicker({ name, files, samples, value }: Control, id: string): Html {
  const { text } = (value ?? {}) as { text?: string }
  const source = text === undefined ? html`data-samples="${samples.join(' ')}"` : html`data-text="${text}"`
  const hasSample = text !== undefined || samples.length > 0
  return html`<input id="${id}" type="file" data-name="${name}" data-kind="file"${files === 'many' && html` multiple`}>${hasSample && html`<button class="quiet small" type="button" ${source}>or use the sample</button>`}`
}

function renderInput({ name, place, schema, value }: Control, id: string): Html {
  const kind = kindOf(schema)
  const attributes = html`id="${id}" data-name="${name}" data-place="${place}" data-kind="${kind}"`
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String)
  if (choices) return renderChoice(attributes, choices, schema.default, value)
  const text = value === undefined || typeof value === 'string' ? (value ?? '') : JSON.stringify(value)
  if (kind === 'number') return html`<input ${attributes} type="number" step="any" value="${text}">`
  const isLong = kind === 'json' || text.length > 40 || Number(schema.maxLength) > 1_000
  return isLong
    ? html`<textarea ${attributes} rows="${text.length > 80 ? 5 : 2}" spellcheck="false">${text}</textarea>`
    : html`<input ${attributes} type="text" value="${text}" spellcheck="false">`
}

/** Left empty, the field is not sent. */
function renderChoice(attributes: Html, choices: readonly string[], defaultValue: unknown, value: unknown): Html {
  const options = [...new Set(choices)].map(
    choice => html`<option${String(value) === choice && html` selected`}>${choice}</option>`,
  )
  const label = defaultValue === undefined ? '' : `default: ${String(defaultValue)}`
  return html`<select ${attributes}><option value="">${label}</option>${options}</select>`
}

/** Of `mixed` are numbers that may be a text too, such as a width in pixels or per cent. */
type Kind = 'text' | 'number' | 'boolean' | 'mixed' | 'json'

function kindOf({ type, enum: values, anyOf, oneOf }: SchemaNode): Kind {
  const kinds = new Set([...(anyOf ?? []), ...(oneOf ?? [])].map(kindOf))
  if (kinds.size === 1) return [...kinds][0]!
  if (kinds.size === 2 && kinds.has('text') && (kinds.has('number') || kinds.has('mixed'))) return 'mixed'
  if (type === 'boolean') return 'boolean'
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'string' || values?.every(value => typeof value === 'string')) return 'text'
  return 'json'
}

import type { ReplyTerms } from '../../../sql/ask/replies.ts'
import type { Form, FormField } from '../../../tasks/products/ask/index.ts'
import { type Html, html } from '../../pages/parts/html.ts'

/** What was typed into a field before, if the form was refused. */
export type Typed = (name: string) => string | undefined

/** The fields of the kind of a question. They work without scripts, and the browser checks what it can. */
export function renderFields(terms: ReplyTerms, typed: Typed): Html | false {
  switch (terms.kind) {
    case 'approval':
      return terms.allowEdit && renderProposal(terms, typed)
    case 'choice':
      return renderOptions(terms, typed)
    case 'text':
      return html`<div class="field"><label for="text">Your answer</label><textarea id="text" name="text" rows="6" maxlength="20000" required>${typed('text') ?? ''}</textarea></div>`
    case 'number':
      return html`<div class="field"><label for="number">Your answer</label><input id="number" name="number" type="number" step="any" required value="${typed('number') ?? ''}"></div>`
    case 'file':
      return html`<div class="field"><label for="file">Your file</label><input id="file" name="file" type="file" required></div>`
    case 'form': {
      const { properties, required = [] } = terms.schema as Form
      const fields = Object.entries(properties).map(([name, field], index) =>
        renderField({ id: `form-${index}`, name, isRequired: required.includes(name) }, field, typed),
      )
      return html`${fields}`
    }
  }
}

function renderProposal({ proposal }: ReplyTerms, typed: Typed): Html {
  const text = typed('proposal') ?? JSON.stringify(proposal, null, 2)
  const rows = Math.min(20, text.split('\n').length + 1)
  return html`<div class="field"><label for="proposal">The proposal, which you can edit before you approve it</label><textarea id="proposal" name="proposal" rows="${rows}" spellcheck="false">${text}</textarea></div>`
}

function renderOptions({ options }: ReplyTerms, typed: Typed): Html {
  const choices = options!.map(({ key, label, description, style }, index) => {
    const note = description !== undefined && html`<span class="dim" id="option-${index}-note">${description}</span>`
    const described = description !== undefined && html` aria-describedby="option-${index}-note"`
    const checked = typed('choice') === key && html`checked`
    return html`<div class="option ${style}"><input type="radio" id="option-${index}" name="choice" value="${key}" required ${checked}${described}><label for="option-${index}">${label}</label>${note}</div>`
  })
  return html`<fieldset class="options"><legend>Your choice</legend>${choices}</fieldset>`
}

interface Place {
  id: string
  name: string
  isRequired: boolean
}

const INPUT_TYPES = { email: 'email', date: 'date', uri: 'url' }

function renderField({ id, name, isRequired }: Place, field: FormField, typed: Typed): Html {
  const label = html`<label for="${id}">${field.title ?? name}${!isRequired && field.type !== 'boolean' && html` <span class="dim">(if you like)</span>`}</label>`
  const note = field.description !== undefined && html`<span class="dim" id="${id}-note">${field.description}</span>`
  const state = html`${isRequired && field.type !== 'boolean' && html`required`}${field.description !== undefined && html` aria-describedby="${id}-note"`}`
  const value = typed(`form.${name}`)
  if (field.type === 'boolean')
    return html`<div class="option"><input type="checkbox" id="${id}" name="form.${name}" value="yes" ${value && html`checked`} ${state}>${label}${note}</div>`
  if (field.enum)
    return html`<div class="field">${label}${renderChoices({ id, name }, field.enum, value, state)}${note}</div>`
  return html`<div class="field">${label}${renderInput({ id, name }, field, value, state)}${note}</div>`
}

function renderChoices(
  { id, name }: Omit<Place, 'isRequired'>,
  choices: string[],
  value: string | undefined,
  state: Html,
) {
  const options = choices.map(
    choice => html`<option value="${choice}" ${choice === value && html`selected`}>${choice}</option>`,
  )
  return html`<select id="${id}" name="form.${name}" ${state}><option value=""></option>${options}</select>`
}

function renderInput({ id, name }: Omit<Place, 'isRequired'>, field: FormField, value = '', state: Html): Html {
  const { type, format, minimum, maximum, minLength, maxLength } = field
  if (type !== 'string') {
    const step = type === 'integer' ? '1' : 'any'
    const range = html`${minimum !== undefined && html` min="${minimum}"`}${maximum !== undefined && html` max="${maximum}"`}`
    return html`<input id="${id}" name="form.${name}" type="number" step="${step}" value="${value}"${range} ${state}>`
  }
  const lengths = html`${minLength !== undefined && html` minlength="${minLength}"`}${maxLength !== undefined && html` maxlength="${maxLength}"`}`
  if (format === undefined && (maxLength ?? 0) > 200)
    return html`<textarea id="${id}" name="form.${name}" rows="4"${lengths} ${state}>${value}</textarea>`
  const kind = format === undefined ? 'text' : INPUT_TYPES[format]
  return html`<input id="${id}" name="form.${name}" type="${kind}" value="${value}"${lengths} ${state}>`
}

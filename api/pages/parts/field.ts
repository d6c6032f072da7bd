import type { Problem } from '#kit'
import { type Html, html } from './html.ts'

/** What was typed into a form, and what is wrong with it, by field. A form that is refused is shown again with both. */
export interface Draft {
  values: Record<string, string>
  faults: Record<string, string>
}

export const LIMIT_FAULT = 'Enter an amount in dollars, for example 2.50, or leave it empty for no limit.'

export const NO_DRAFT: Draft = { values: {}, faults: {} }

/** The fields of a form as they were typed. */
export function keepTyped(form: URLSearchParams, faults: Record<string, string>): Draft {
  return { values: Object.fromEntries(form), faults }
}

/** Why a form was refused, with the field if nothing else says which one. */
export function describeRefusal({ message, hints: { reason, field } }: Problem): string {
  return [message, reason, reason === undefined && field !== undefined && `(${String(field)})`]
    .filter(Boolean)
    .join(' ')
}

interface Field {
  /** Unique on the page. */
  id: string
  name: string
  label: Html | string
  /** Shown until something else was typed. */
  value?: string
  /** Further attributes of the input. */
  attributes?: Html
}

/** An input with its label, and with its fault below it. */
export function renderField({ id, name, label, value, attributes }: Field, { values, faults }: Draft): Html {
  const fault = faults[name]
  const state = fault !== undefined && html` aria-invalid="true" aria-describedby="${id}-fault"`
  return html`<div class="field"><label for="${id}">${label}</label><input id="${id}" name="${name}" value="${values[name] ?? value ?? ''}" ${attributes}${state}>${renderFault(id, fault)}</div>`
}

function renderFault(id: string, fault: string | undefined): Html | false {
  return fault !== undefined && html`<p class="fault" id="${id}-fault" role="alert">${fault}</p>`
}

export function renderSelect(
  { id, name, label }: Pick<Field, 'id' | 'name' | 'label'>,
  options: readonly (readonly [value: string, name: string])[],
  chosen: string | undefined,
): Html {
  const choices = options.map(
    ([value, title]) => html`<option value="${value}" ${value === (chosen ?? '') && html`selected`}>${title}</option>`,
  )
  return html`<div class="field"><label for="${id}">${label}</label><select id="${id}" name="${name}">${choices}</select></div>`
}

import type { SignerField } from '../../../../../sql/esigndoc/signing.ts'
import { findDay, isSigningDay } from '../../../../../tasks/products/esigndoc/dates.ts'
import { chooseConsent } from '../../../../../tasks/products/esigndoc/index.ts'
import type { Language } from '../../../../../tasks/products/esigndoc/terms.ts'
import { isMark } from '../../../../../tasks/products/esigndoc/values.ts'
import { type Html, html } from '../../../../pages/parts/html.ts'
import { fill } from '../../texts/choose.ts'
import { readDrawing } from '../drawing.ts'
import { elementOf, type SignerPage, sortFields } from './document.ts'
import { nameField } from './names.ts'

/** What was sent, if the page is shown again because of a fault. */
export interface Sent {
  text(name: string): string | undefined
  /** Ids of the fields that are at fault. */
  faults: ReadonlySet<string>
}

export const NOTHING_SENT: Sent = { text: () => undefined, faults: new Set() }

/** Without scripts the Enter key in a field presses the first button of a form: this one saves and signs nothing. */
const SAVE_BY_ENTER = html`<button class="hidden" type="submit" name="act" value="save" tabindex="-1" aria-hidden="true"></button>`

/** What a signer fills in, as a plain form that needs no scripts. */
export function renderForm(page: SignerPage, sent: Sent): Html {
  const { view, texts, language, token } = page
  const own = sortFields(
    view.fields.filter(({ isOwn, readOnly }) => isOwn && !readOnly),
    view.files,
  )
  const marks = own.filter(isMark)
  const inputs = own.filter(field => !isMark(field)).map(field => renderField(page, field, sent))
  const { text: consent } = chooseConsent(language as Language, view.recipient.role)
  const verb = view.recipient.role === 'approver' ? texts.approve : texts.sign
  return html`<form method="post" enctype="multipart/form-data" class="stack fill" action="/sign/${encodeURIComponent(token)}" data-token="${token}" data-saved="${texts.saved}">
<input type="hidden" name="lang" value="${language}">${SAVE_BY_ENTER}
<h2>${texts.yourFields}</h2>
${own.length === 0 && html`<p>${texts.nothing}</p>`}
${own.length > 0 && html`<div class="walk" hidden><button class="button quiet small" type="button" data-walk="-1">${texts.previous}</button><button class="button small" type="button" data-walk="1">${texts.next}</button><span class="dim small" role="status" data-progress="${texts.progress}"></span></div>`}
${inputs}${marks.length > 0 && renderSignature(page, marks, sent)}
<div class="option consent"><input type="checkbox" id="consent" name="consent" value="yes"><label for="consent">${consent}</label></div>
<div class="decide"><button class="button wide" type="submit" name="act" value="complete">${verb}</button><button class="button quiet" type="submit" name="act" value="save">${texts.save}</button></div>
</form>`
}

function renderField(page: SignerPage, field: SignerField, sent: Sent): Html {
  const { texts, view } = page
  const element = elementOf(view.fields, field)
  const text = nameField(field, view.fields, texts)
  const hint = html` <span class="dim small">${field.required ? texts.required : texts.optional}</span>`
  const fault = sent.faults.has(field.id) && html` aria-invalid="true"`
  const label = html`<label for="${element}"><bdi>${text}</bdi>${hint}</label>`
  const rule = field.showIf && html` data-if="${field.showIf.field}" data-equals="${String(field.showIf.equals)}"`
  const input = { field, element, name: `v.${field.id}`, fault }
  return field.type === 'checkbox' || field.type === 'radio'
    ? html`<div class="option piece"${rule}>${renderBox(input, sent)}${label}</div>`
    : html`<div class="field piece"${rule}>${label}${renderInput(page, input, sent)}</div>`
}

interface Input {
  field: SignerField
  element: string
  name: string
  fault: Html | false
}

/** A box of its own, or one of a group of which one is chosen. */
function renderBox({ field, element, name, fault }: Input, sent: Sent): Html {
  const isRadio = field.type === 'radio'
  const group = isRadio ? `g.${field.group ?? ''}` : name
  const value = isRadio ? field.id : 'yes'
  const given = sent.text(group) ?? (field.value === true ? value : undefined)
  return html`<input type="${field.type}" id="${element}" name="${group}" value="${value}" data-field="${field.id}" ${given === value && html`checked`}${fault}>`
}

const TYPES: Partial<Record<SignerField['type'], Html>> = {
  date: html`type="date"`,
  email: html`type="email" autocomplete="email"`,
  number: html`type="text" inputmode="decimal"`,
  name: html`type="text" autocomplete="name"`,
}

function renderInput(page: SignerPage, input: Input, sent: Sent): Html {
  const { field, element, name, fault } = input
  const data = html`id="${element}" name="${name}" data-field="${field.id}"${fault}`
  if (field.type === 'attachment' || field.type === 'stamp') return renderUpload(page, field, data)
  const value = sent.text(name) ?? String(field.value ?? findOwn(page, field))
  if (field.type === 'dropdown') {
    const choices = (field.options ?? []).map(one => html`<option ${one === value && html`selected`}>${one}</option>`)
    return html`<select ${data}><option value="">${page.texts.choose}</option>${choices}</select>`
  }
  return renderTextInput(field, data, value)
}

function renderTextInput({ type, validation, placeholder, h }: SignerField, data: Html, value: string): Html {
  const { maxLength } = validation ?? {}
  const limits = html`${maxLength !== undefined && html` maxlength="${maxLength}"`}${placeholder !== undefined && html` placeholder="${placeholder}"`}`
  const isLong = type === 'text' && (h > 6 || (maxLength ?? 0) > 200)
  return isLong
    ? html`<textarea ${data} dir="auto" rows="3"${limits}>${value}</textarea>`
    : html`<input ${data} ${TYPES[type] ?? html`type="text"`} dir="auto" value="${value}"${limits}>`
}

/** What is known of the signer, and the day of signing: what the service itself fills in where nothing is given. */
function findOwn({ view: { recipient, timezone } }: SignerPage, { type, label }: SignerField): string {
  if (type === 'name') return recipient.name
  if (isSigningDay({ type, label })) return findDay(new Date(), timezone)
  return type === 'email' ? (recipient.email ?? '') : ''
}

function renderUpload({ texts, view }: SignerPage, field: SignerField, data: Html): Html {
  const images = 'image/png,image/jpeg'
  const accept = field.type === 'stamp' ? images : `application/pdf,${images},image/webp,text/plain`
  const known = field.value !== null && html`<p class="dim small">${texts.attached}</p>`
  return html`<input ${data} type="file" accept="${accept}" aria-label="${texts.attach}: ${nameField(field, view.fields, texts)}">${known}`
}

function renderSignature({ texts, view }: SignerPage, marks: readonly SignerField[], sent: Sent): Html {
  const mode = sent.text('mode') ?? 'type'
  const ways = [
    ['type', texts.typeIt],
    ['draw', texts.drawIt],
    ['upload', texts.uploadIt],
  ] as const
  const choices = ways.map(
    ([way, text]) =>
      html`<div class="option" ${way === 'draw' && html`data-script hidden`}><input type="radio" id="mode-${way}" name="mode" value="${way}" ${way === mode && html`checked`}><label for="mode-${way}">${text}</label></div>`,
  )
  const anchors = marks.map(field => html`<span class="anchor" id="${elementOf(view.fields, field)}"></span>`)
  return html`<fieldset class="stack piece sign">${anchors}<legend>${texts.signature}</legend><div class="row">${choices}</div>
<div class="field way" data-way="type"><label for="typed">${texts.typedName}</label><input id="typed" name="typed" dir="auto" class="script" autocomplete="name" maxlength="100" value="${sent.text('typed') ?? view.recipient.name}"></div>
<div class="field way" data-way="draw" data-script hidden><p class="small dim" id="drawing-help">${texts.drawHere}</p><canvas id="drawing" width="600" height="200" role="img" aria-label="${texts.signature}" aria-describedby="drawing-help"></canvas><button class="button quiet small" type="button" data-clear>${texts.clear}</button><input type="hidden" name="drawn" value="${keepDrawing(sent)}"></div>
<div class="field way" data-way="upload"><label for="uploaded">${texts.uploadImage}</label><input id="uploaded" name="uploaded" type="file" accept="image/png,image/jpeg"></div></fieldset>`
}

/** A drawing that is one is shown again, so that another fault does not cost it. */
function keepDrawing(sent: Sent): string {
  const drawn = sent.text('drawn') ?? ''
  try {
    readDrawing(drawn, 'signature')
    return drawn
  } catch {
    return ''
  }
}

/** What else a signer can do. */
export function renderOthers({ token, view, texts, language }: SignerPage): Html {
  const action = `/sign/${encodeURIComponent(token)}`
  const lang = html`<input type="hidden" name="lang" value="${language}">`
  const decline =
    view.allowDecline &&
    html`<details><summary>${texts.decline}</summary><form method="post" enctype="multipart/form-data" class="stack" action="${action}">${lang}<div class="field"><label for="reason">${texts.declineWhy}</label><textarea id="reason" name="reason" dir="auto" rows="2" maxlength="500" required></textarea></div><button class="button danger" type="submit" name="act" value="decline">${texts.declineIt}</button></form></details>`
  const reassign =
    view.allowReassign &&
    html`<details><summary>${texts.reassign}</summary><form method="post" enctype="multipart/form-data" class="stack" action="${action}">${lang}<div class="field"><label for="to-name">${texts.reassignName}</label><input id="to-name" name="toName" dir="auto" maxlength="200" required></div><div class="field"><label for="to-email">${texts.reassignEmail}</label><input id="to-email" name="toEmail" type="email" maxlength="320" required></div><button class="button quiet" type="submit" name="act" value="reassign">${texts.reassignIt}</button></form></details>`
  return html`${decline}${reassign}`
}

export function renderProgress({ view, texts }: SignerPage): Html | false {
  if (view.others.length === 0) return false
  const lines = view.others.map(
    ({ name, status }) => html`<li><bdi>${name}</bdi> ${status === 'completed' && '✓'}</li>`,
  )
  return html`<details><summary>${texts.othersTitle}</summary><ul class="plain">${lines}</ul></details>`
}

export function describeUntil({ view, texts }: SignerPage, time: string): string {
  return fill(texts.until, { time: `${time} (${view.timezone})` })
}

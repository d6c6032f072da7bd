import { newId, Problem } from '#kit'
import { readTemplate, type TemplateView } from '../../../../sql/esigndoc/templates.ts'
import { priceEnvelope } from '../../../../tasks/products/esigndoc/index.ts'
import { signs } from '../../../../tasks/products/esigndoc/place.ts'
import type { ApiContext } from '../../../context.ts'
import type { Session } from '../../../intake/identity/session.ts'
import { callPricedRoute } from '../../../intake/page-call.ts'
import { type Draft, describeRefusal, keepTyped, NO_DRAFT, renderField } from '../../../pages/parts/field.ts'
import { formatMoney } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'
import { parseTemplateId } from '../schema.ts'

const HOME = '/dashboard/envelopes'
const PATH = `${HOME}/templates/{id}/send`
/** What the sender may fill in of a field that nobody else does. */
const TYPED = new Set(['text', 'number', 'date', 'name', 'email', 'dropdown', 'radio'])

export default [
  definePrivatePage(`GET ${PATH}`, async ({ session, params }, context) => {
    const template = await readTemplate(context.db, session.caller.accountId, parseTemplateId(params.id!))
    return renderForm(context, session, template, { draft: NO_DRAFT, notice: undefined })
  }),

  definePrivatePage(`POST ${PATH}`, async ({ session, params, form, request, reply }, context) => {
    const { caller } = session
    const template = await readTemplate(context.db, caller.accountId, parseTemplateId(params.id!))
    try {
      const at = 'POST /v1/esigndoc/envelopes/from-template'
      const idempotencyKey = form.get('key') ?? newId()
      const call = { caller, body: readBody(form, template), idempotencyKey }
      const made = (await callPricedRoute(context, { request, reply }, at, call)) as { id: string }
      return { redirectTo: `${HOME}/${made.id}?done=sent` }
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error
      reply.code(error.status)
      const faults = findFaults(error, template)
      const notice = renderNotice('bad', `${describeRefusal(error)} Nothing was sent, and nothing was charged.`)
      return renderForm(context, session, template, { draft: keepTyped(form, faults), notice })
    }
  }),
]

function readBody(form: URLSearchParams, { id, roles, fields }: TemplateView): object {
  const read = (name: string) => form.get(name)?.trim() || undefined
  const recipients = roles.map(({ key }, index) => {
    return { role: key, name: read(`name${index}`) ?? '', email: read(`email${index}`) }
  })
  const typed = listTyped(fields).flatMap(({ key }, index) => {
    const value = read(`value${index}`)
    return value === undefined ? [] : [[key, value] as const]
  })
  return {
    ...{ templateId: id, recipients, sendImmediately: true, title: read('title'), message: read('message') },
    ...(typed.length > 0 && { prefill: Object.fromEntries(typed) }),
  }
}

function listTyped(fields: TemplateView['fields']): TemplateView['fields'] {
  return fields.filter(({ role, type }) => role === null && TYPED.has(type))
}

/** Who gets it and how they prove who they are, as it is priced. */
function listVerified({ roles, defaults }: TemplateView): { verification: string }[] {
  const verification = defaults.verification ?? 'none'
  const asked = roles.map(role => ({ verification: signs(role) || role.role === 'approver' ? verification : 'none' }))
  return [...asked, ...(defaults.ccOnComplete ?? []).map(() => ({ verification: 'none' }))]
}

/** What is wrong, beside the input that it is about. */
function findFaults({ message, hints: { field, reason } }: Problem, { roles }: TemplateView): Record<string, string> {
  const [, index, what] = /^recipients\W(\d+)\W+(name|email)$/.exec(String(field)) ?? []
  return index !== undefined && Number(index) < roles.length
    ? { [`${what}${index}`]: `${message} ${String(reason ?? '')}`.trim() }
    : {}
}

function renderForm(
  context: ApiContext,
  session: Session,
  template: TemplateView,
  { draft, notice }: { draft: Draft; notice: Html | undefined },
): Html {
  const { id, name, roles, files, fields, defaults } = template
  const pages = files.reduce((sum, file) => sum + file.pages.length, 0)
  const price = priceEnvelope({ recipients: listVerified(template), pages })
  const people = roles.map((role, index) => {
    const input = (what: string, label: string, attributes: Html) =>
      renderField({ id: `${what}${index}`, name: `${what}${index}`, label, attributes }, draft)
    return html`<fieldset class="options"><legend>${role.name} <span class="dim">(${role.role})</span></legend>${input('name', 'Name', html`required maxlength="200" autocomplete="off"`)}${input('email', 'Mail address', html`type="email" maxlength="320" autocomplete="off"`)}</fieldset>`
  })
  const values = listTyped(fields).map(({ key, label }, index) =>
    renderField({ id: `value${index}`, name: `value${index}`, label: label ?? key }, draft),
  )
  const mail = context.mail.isSending
    ? 'Who has a mail address gets a mail with a link; the links of the others are on the next page.'
    : 'This installation sends no mail: the links are on the next page.'
  const content = html`<p><a href="${HOME}/templates/${id}">← The template</a></p>${notice}
<form method="post" class="card stack" action="${HOME}/templates/${id}/send">${renderCsrfField(context, session)}<input type="hidden" name="key" value="${draft.values.key ?? newId()}">
${people}${values}
${renderField({ id: 'title', name: 'title', label: 'Title', value: defaults.title ?? name, attributes: html`maxlength="255"` }, draft)}
<div class="field"><label for="message">Message</label><textarea id="message" name="message" rows="4" maxlength="5000">${draft.values.message ?? defaults.message ?? ''}</textarea></div>
<p class="dim">${mail} It costs ${formatMoney(String(price))}: all of it is paid back if it is cancelled before anybody opens it.</p>
<button class="button" type="submit">Send</button></form>`
  return renderDashboardPage(context, session, { path: HOME, title: `Send ${name}`, content })
}

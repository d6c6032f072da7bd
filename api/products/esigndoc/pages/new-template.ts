import { newId, Problem } from '#kit'
import type { ApiContext } from '../../../context.ts'
import { CSRF_FIELD, requireCsrf } from '../../../intake/identity/csrf.ts'
import type { Session } from '../../../intake/identity/session.ts'
import { callPricedRoute, keepSentFile, type SentFile } from '../../../intake/page-call.ts'
import { type Draft, describeRefusal, NO_DRAFT, renderField, renderSelect } from '../../../pages/parts/field.ts'
import { formatBytes } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage, type PageRequest } from '../../../pages/parts/page.ts'
import { withBody } from '../../lease/index.ts'

const HOME = '/dashboard/envelopes'
const TEMPLATES = `${HOME}/templates`
const PATH = `${TEMPLATES}/new`
const MAX_BYTES = 30_000_000
/** What the form has besides its file. */
const FORM_BYTES = 65_536
const ROLE_LINES = 4
const KINDS = [
  ['signer', 'signs'],
  ['approver', 'approves'],
  ['witness', 'signs as a witness'],
  ['viewer', 'only looks'],
  ['cc', 'gets a copy'],
] as const

export default [
  definePrivatePage(`GET ${PATH}`, ({ session }, context) => renderForm(context, session, NO_DRAFT, undefined)),

  {
    ...definePrivatePage(`POST ${PATH}`, async (page, context) => {
      let draft = NO_DRAFT
      try {
        const { form, file } = await readSentForm(context, page)
        draft = { values: form, faults: {} }
        const made = await makeTemplate(context, page, form, file)
        return { redirectTo: `${TEMPLATES}/${made.id}` }
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500 || error.code === 'CSRF_REJECTED') throw error
        page.reply.code(error.status)
        return renderForm(context, page.session, draft, renderNotice('bad', describeRefusal(error)))
      }
    }),
    takesFiles: true,
  },
]

type Values = Record<string, string>

async function readSentForm(context: ApiContext, { request, session }: PageRequest<Session>) {
  const type = request.headers['content-type'] ?? ''
  return withBody(context, request, MAX_BYTES + FORM_BYTES, async body => {
    const sent = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
      .formData()
      .catch(() => Promise.reject(new Problem('INVALID_MULTIPART')))
    requireCsrf(context.config, request, session.token, sent.get(CSRF_FIELD))
    const form: Values = {}
    for (const [name, value] of sent) if (typeof value === 'string' && name !== CSRF_FIELD) form[name] = value
    return { form, file: await readFile(sent.get('file')) }
  })
}

async function readFile(file: unknown): Promise<SentFile | undefined> {
  if (!(file instanceof File) || file.size === 0) return undefined
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : 'application/octet-stream'
  return { bytes: Buffer.from(await file.arrayBuffer()), name: file.name.slice(0, 200) || 'document.pdf', type }
}

/** By the route that customers call, so that it has the same limits and the same line among the jobs. */
async function makeTemplate(
  context: ApiContext,
  page: PageRequest<Session>,
  form: Values,
  file: SentFile | undefined,
): Promise<{ id: string }> {
  const { caller } = page.session
  const roles = readRoles(form)
  if (roles.length === 0) throw new Problem('MISSING_FIELD', { field: 'role', reason: 'Name at least one role.' })
  if (!file) throw new Problem('MISSING_FIELD', { field: 'file', reason: 'Choose a document.' })
  const name = form.name?.trim() || file.name.replace(/\.\w{2,5}$/, '')
  const inputKey = await keepSentFile(context, caller.accountId, file)
  const defaults = { signingOrder: isInTurns(form) ? 'sequential' : 'parallel' }
  const body = { file: { inputKey }, name, roles, fields: [], defaults }
  return (await callPricedRoute(context, page, 'POST /v1/esigndoc/templates', {
    ...{ caller, body, idempotencyKey: form.key ?? newId() },
  })) as { id: string }
}

/** The lines that have a name. In turns, each has to wait for those above. */
function readRoles(form: Values) {
  const lines = Array.from({ length: ROLE_LINES }, (_, index) => ({
    name: form[`role${index}`]?.trim() ?? '',
    role: KINDS.find(([kind]) => kind === form[`kind${index}`])?.[0] ?? 'signer',
  })).filter(({ name }) => name !== '')
  return lines.map((line, index) => ({
    ...line,
    key: `${toKey(line.name)}${lines.slice(0, index).some(({ name }) => toKey(name) === toKey(line.name)) ? `-${index + 1}` : ''}`,
    order: isInTurns(form) ? index + 1 : 1,
  }))
}

function isInTurns({ turns }: Values): boolean {
  return turns === '1'
}

function toKey(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  return plain.slice(0, 50) || 'role'
}

function renderForm(context: ApiContext, session: Session, draft: Draft, notice: Html | undefined): Html {
  const roles = Array.from({ length: ROLE_LINES }, (_, index) => {
    const names = {
      id: `role${index}`,
      name: `role${index}`,
      label: index === 0 ? 'First role, such as Tenant' : `Role ${index + 1}`,
    }
    const kind = { id: `kind${index}`, name: `kind${index}`, label: 'What they do' }
    return html`<div class="row">${renderField({ ...names, attributes: html`maxlength="100" ${index === 0 && html`required`}` }, draft)}${renderSelect(kind, KINDS, draft.values[kind.name] ?? 'signer')}</div>`
  })
  const content = html`<p><a href="${TEMPLATES}">← All templates</a></p>${notice}
<form method="post" enctype="multipart/form-data" class="card stack" action="${PATH}">${renderCsrfField(context, session)}<input type="hidden" name="key" value="${newId()}">
<div class="field"><label for="file">Document</label><input id="file" name="file" type="file" required aria-describedby="limits"><p class="dim" id="limits">A PDF or an Office document of at most ${formatBytes(MAX_BYTES)}.</p></div>
${renderField({ id: 'name', name: 'name', label: 'Name of the template', attributes: html`maxlength="200" placeholder="that of the document"` }, draft)}
<fieldset class="options"><legend>Who gets it</legend><p class="dim">People are put into these roles when it is sent.</p>${roles}
<div class="option"><input type="checkbox" id="turns" name="turns" value="1" ${isInTurns(draft.values) && html`checked`}><label for="turns">One after the other, in this order</label></div></fieldset>
<button class="button" type="submit">Make the template</button></form>
<p class="dim">It is free. On the next page you place the fields.</p>`
  return renderDashboardPage(context, session, { path: HOME, title: 'New template', content })
}

import { Problem } from '#kit'
import { findTemplatePage } from '../../../../sql/esigndoc/preparations.ts'
import {
  deleteTemplate,
  listTemplates,
  readTemplate,
  saveTemplate,
  type TemplateField,
  type TemplateView,
} from '../../../../sql/esigndoc/templates.ts'
import { PLACED_FIELD_TYPES } from '../../../../tasks/products/esigndoc/document.ts'
import type { ApiContext } from '../../../context.ts'
import type { Session } from '../../../intake/identity/session.ts'
import { readOffset, renderPager, renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderDashboardPage, renderNotice } from '../../../pages/parts/layout.ts'
import { definePrivatePage } from '../../../pages/parts/page.ts'
import { openPageImage, readAskedPage } from '../page-images.ts'
import { parseTemplateId } from '../schema.ts'
import { type EditedFields, readEditedFields } from '../template-editing.ts'

const HOME = '/dashboard/envelopes'
const PATH = `${HOME}/templates`
const PAGE_SIZE = 25

export default [
  definePrivatePage(`GET ${PATH}`, async ({ session, query }, context) => {
    const offset = readOffset(query)
    const found = await listTemplates(context.db, session.caller.accountId, { limit: PAGE_SIZE + 1, offset })
    const table =
      found.length > 0 ? renderTable(found.slice(0, PAGE_SIZE)) : html`<p class="empty">No templates yet.</p>`
    const content = html`<p><a href="${HOME}">← All envelopes</a></p><p><a class="button" href="${PATH}/new">New template</a></p><section class="card flush">${table}</section>
${renderPager(PATH, {}, { offset, size: PAGE_SIZE, hasMore: found.length > PAGE_SIZE })}`
    return renderDashboardPage(context, session, { path: HOME, title: 'Templates', content })
  }),

  definePrivatePage(`GET ${PATH}/{id}`, async ({ session, params, query }, context) => {
    const template = await readTemplate(context.db, session.caller.accountId, parseTemplateId(params.id!))
    const notice = query.done === 'saved' ? renderNotice('good', `Saved as version ${template.version}.`) : undefined
    return renderEditor(context, session, template, { notice, fields: template.fields })
  }),

  definePrivatePage(`POST ${PATH}/{id}`, async ({ session, params, form, reply }, context) => {
    const { accountId } = session.caller
    const id = parseTemplateId(params.id!)
    const template = await readTemplate(context.db, accountId, id)
    try {
      const { name, roles, files, defaults } = template
      const fields = readEditedFields(form, template)
      await saveTemplate(context.db, accountId, { id, isNew: false, name, roles, files, defaults, fields })
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error
      reply.code(error.status)
      const hints = JSON.stringify(error.hints)
      const notice = renderNotice('bad', `${error.message} ${hints}`)
      return renderEditor(context, session, template, { notice, fields: template.fields })
    }
    return { redirectTo: `${PATH}/${params.id}?done=saved` }
  }),

  definePrivatePage(`POST ${PATH}/{id}/delete`, async ({ session, params }, context) => {
    await deleteTemplate(context.db, session.caller.accountId, parseTemplateId(params.id!))
    return { redirectTo: PATH }
  }),

  definePrivatePage(`GET ${PATH}/{id}/page/{file}/{page}`, ({ session, params, query }, context) => {
    const owner = { accountId: session.caller.accountId, templateId: parseTemplateId(params.id!) }
    const page = readAskedPage(params, query)
    return openPageImage(context, db => findTemplatePage(db, owner, page))
  }),
]

function renderTable(templates: readonly TemplateView[]): Html {
  const lines = templates.map(
    ({ id, name, version, roles, fields, updatedAt }) =>
      html`<tr><td class="when">${renderTime(updatedAt)}</td><td class="what"><a href="${PATH}/${id}">${name}</a></td><td>${roles.length} roles, ${fields.length} fields</td><td class="state">version ${version}</td></tr>`,
  )
  return html`<table class="table lines"><thead><tr><th scope="col">Changed</th><th scope="col">Name</th><th scope="col">Content</th><th scope="col">Version</th></tr></thead><tbody>${lines}</tbody></table>`
}

const EMPTY_LINES = 3

/** A form with a line for each field, which works without scripts; with them, fields are dragged on the page. */
function renderEditor(
  context: ApiContext,
  session: Session,
  template: TemplateView,
  { notice, fields }: { notice: Html | undefined; fields: EditedFields },
) {
  const { id, files, version, name } = template
  const csrf = renderCsrfField(context, session)
  const leaves = files.flatMap((file, index) =>
    file.pages.map(
      ({ number, width, height }) =>
        html`<figure class="leaf" data-file="${index}" data-page="${number}"><img src="${PATH}/${id}/page/${index}/${number}?w=800" width="${Math.round(width)}" height="${Math.round(height)}" loading="lazy" alt="Page ${number} of ${file.name}"></figure>`,
    ),
  )
  const lines = Array.from({ length: fields.length + EMPTY_LINES }, (_, index) =>
    renderLine(template, fields[index], index),
  )
  const content = html`<link rel="stylesheet" href="/sign-assets/sign.css"><p><a href="${PATH}">← All templates</a></p>${notice}<p><a class="button" href="${PATH}/${id}/send">Send it</a></p>
<p class="dim">Drag a field on the page, or type where it stands, in per cent of the page from its left and top. A line without a key is no field. Saving makes a new version; envelopes that were made keep theirs.</p>
<form method="post" class="stack placing" action="${PATH}/${id}">${csrf}<input type="hidden" name="lines" value="${lines.length}">
<div class="leaves">${leaves}</div>
<section class="card flush"><div class="sheet" tabindex="0" role="region" aria-label="Fields"><table class="table lines"><thead><tr><th scope="col">Key</th><th scope="col">Role</th><th scope="col">Type</th><th scope="col">File</th><th scope="col">Page</th><th scope="col">Left</th><th scope="col">Top</th><th scope="col">Width</th><th scope="col">Height</th><th scope="col">Required</th></tr></thead><tbody>${lines}</tbody></table></div></section>
<button class="button" type="submit">Save</button></form>
<form method="post" action="${PATH}/${id}/delete">${csrf}<button class="button quiet" type="submit">Delete the template</button></form><script src="/sign-assets/editor.js" defer></script>`
  return renderDashboardPage(context, session, { path: HOME, title: name, lead: `Version ${version}`, content })
}

function renderLine({ roles }: TemplateView, field: TemplateField | undefined, index: number): Html {
  const number = (letter: string, label: string, value: number | undefined) =>
    html`<td><input name="${letter}${index}" aria-label="${label} of field ${index + 1}" inputmode="decimal" size="5" value="${value === undefined ? '' : round(value)}"></td>`
  const options = (values: readonly string[], chosen: string | undefined) =>
    values.map(value => html`<option ${value === chosen && html`selected`}>${value}</option>`)
  const keys = ['', ...roles.map(({ key }) => key)]
  return html`<tr data-line="${index}"><td><input name="k${index}" aria-label="Key of field ${index + 1}" size="10" maxlength="64" value="${field?.key ?? ''}"></td>
<td><select name="r${index}" aria-label="Role of field ${index + 1}">${options(keys, field?.role ?? '')}</select></td><td><select name="t${index}" aria-label="Type of field ${index + 1}">${options(PLACED_FIELD_TYPES, field?.type)}</select></td>
${number('f', 'File', field?.file ?? 0)}${number('p', 'Page', field?.page ?? 1)}${number('x', 'Left', field?.x)}${number('y', 'Top', field?.y)}${number('w', 'Width', field?.w)}${number('h', 'Height', field?.h)}
<td><input type="checkbox" name="q${index}" value="1" aria-label="Field ${index + 1} is required" ${(field?.required ?? true) && html`checked`}></td></tr>`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

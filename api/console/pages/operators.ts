import { Problem } from '#kit'
import { changeByOperator, createByOperator, linkByOperator } from '../../../sql/admin/log.ts'
import { type ListedOperator, listOperators, OPERATOR_ROLES, type OperatorRole } from '../../../sql/operator.ts'
import { renderSelect } from '../../pages/parts/field.ts'
import { renderTime } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderCode, renderNotice } from '../../pages/parts/layout.ts'
import { createEnrolmentLink } from '../access/links.ts'
import { type ConsoleRequest, defineConsolePage, hasRole } from '../page.ts'
import { renderAct, renderConsolePage, renderTable } from '../parts/layout.ts'

type Session = ConsoleRequest['session']
const NAME = /^[a-z0-9][a-z0-9._@-]{0,63}$/

export const operatorPages = [
  defineConsolePage('GET /operators', 'read', async ({ session, db }) =>
    renderOperators(session, await listOperators(db)),
  ),

  defineConsolePage('POST /operators', 'full', async ({ session, form, db }, { config }) => {
    const [name, role] = [readName(form.get('name')), readRole(form.get('role'))]
    const { url, hash } = createEnrolmentLink(config.secret, config.console.url)
    await createByOperator(db, name, role, hash)
    return renderOperators(session, await listOperators(db), { name, url })
  }),
  defineConsolePage('POST /operators/{name}/link', 'full', async ({ session, params, db }, { config }) => {
    const { url, hash } = createEnrolmentLink(config.secret, config.console.url)
    await linkByOperator(db, params.name!, hash)
    return renderOperators(session, await listOperators(db), { name: params.name!, url })
  }),
  defineConsolePage('POST /operators/{name}/role', 'full', async ({ params, form, db }) => {
    await changeByOperator(db, params.name!, { role: readRole(form.get('role')) })
    return { redirectTo: '/operators' }
  }),
  defineConsolePage('POST /operators/{name}/close', 'full', async ({ params, db }) => {
    await changeByOperator(db, params.name!, { isDisabled: true })
    return { redirectTo: '/operators' }
  }),
  defineConsolePage('POST /operators/{name}/open', 'full', async ({ params, db }) => {
    await changeByOperator(db, params.name!, { isDisabled: false })
    return { redirectTo: '/operators' }
  }),
]

function readName(text: string | null): string {
  const name = (text ?? '').trim().toLowerCase()
  if (NAME.test(name)) return name
  throw new Problem('INVALID_PARAM', { field: 'name', reason: 'Use letters, digits, dots, dashes or a mail address.' })
}

function readRole(text: string | null): OperatorRole {
  const role = OPERATOR_ROLES.find(each => each === text)
  if (!role) throw new Problem('INVALID_PARAM', { field: 'role', allowed: OPERATOR_ROLES })
  return role
}

function renderOperators(
  session: Session,
  operators: readonly ListedOperator[],
  fresh?: { name: string; url: string },
): Html {
  const isFull = hasRole(session, 'full')
  const content = html`${fresh && html`<section class="card fresh">${renderNotice('good', html`Give ${fresh.name} this link. It works once, within an hour, and cannot be shown again.`)}${renderCode(fresh.url, 'Link for the operator')}</section>`}
<section class="card flush">${renderTable(
    ['Operator', 'Role', 'Signs in with', 'Last seen', 'State', 'Change'],
    operators.map(each => renderLine(session, each)),
    'There is no operator.',
  )}</section>
${isFull && html`<section class="card stack"><h2>Add an operator</h2>${renderAct(session, { action: '/operators', label: 'Add', needsReason: false, fields: html`<div class="field"><label for="name">Name</label><input id="name" name="name" required maxlength="64" autocapitalize="none"></div>${renderRoles('role', 'read')}` })}</section>`}`
  return renderConsolePage(session, { path: '/operators', title: 'Operators', content })
}

function renderRoles(id: string, chosen: string): Html {
  return renderSelect(
    { id, name: 'role', label: 'Role' },
    OPERATOR_ROLES.map(role => [role, role] as const),
    chosen,
  )
}

function renderLine(session: Session, operator: ListedOperator): Html {
  const { name, role, has_totp: hasTotp, passkeys, seen_at: seenAt, disabled_at: disabledAt } = operator
  const means = [hasTotp && 'an app', passkeys > 0n && `${passkeys} passkeys`].filter(Boolean).join(', ')
  const action = `/operators/${name}`
  const plain = { needsReason: false }
  const acts = html`<details><summary>Change</summary>${renderAct(session, { ...plain, action: `${action}/role`, label: 'Set role', fields: renderRoles(`role-${name}`, role) })}
${!disabledAt && renderAct(session, { ...plain, action: `${action}/link`, label: 'New sign-in link' })}${disabledAt ? renderAct(session, { ...plain, action: `${action}/open`, label: 'Open the console again' }) : renderAct(session, { ...plain, action: `${action}/close`, label: 'Close the console and forget what they sign in with', isDangerous: true })}</details>`
  return html`<tr><td>${name}</td><td>${role}</td><td>${means || 'nothing yet'}</td><td class="when">${seenAt && renderTime(seenAt)}</td><td>${disabledAt ? html`<span class="pill bad">closed</span>` : html`<span class="pill good">open</span>`}</td><td>${hasRole(session, 'full') && acts}</td></tr>`
}

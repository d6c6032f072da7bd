import { type Html, html } from '../../pages/parts/html.ts'
import { renderCode } from '../../pages/parts/layout.ts'

/** The same call in several languages, behind tabs that work without a script. */
export function renderTabs(programs: readonly (readonly [language: string, code: string])[], title: string): Html {
  const tabs = programs.map(
    ([language], index) =>
      html`<input type="radio" name="language" id="language${index}" value="${language}"${index === 0 && html` checked`}><label for="language${index}">${language}</label>`,
  )
  const panels = programs.map(
    ([language, code]) => html`<div class="panel">${renderCode(code, `${title} in ${language}`)}</div>`,
  )
  return html`<fieldset class="tabs"><legend class="hidden">Language</legend>${tabs}${panels}</fieldset>`
}

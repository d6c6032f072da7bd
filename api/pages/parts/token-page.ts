import type { FastifyReply } from 'fastify'
import type { ApiContext } from '../../context.ts'
import { requireOwnSession } from '../../intake/identity/session.ts'
import { type Html, html } from './html.ts'
import { LOGO, renderDocument } from './layout.ts'
import { definePublicPage, type Page } from './page.ts'

/**
 * A page for whoever holds a link, without an account. It works without scripts, is neither stored nor indexed, and a GET
 * changes nothing, because mail scanners follow links. The origin of its forms is checked as that of every form.
 */
export function defineTokenPage(at: Page['at'], render: Page['render'], { takesFiles = false } = {}): Page {
  const page = definePublicPage(at, (asked, context) => {
    keepPrivate(asked.reply)
    if (asked.session && asked.request.method === 'POST') requireOwnSession(asked.session)
    return render(asked, context)
  })
  return { ...page, takesFiles }
}

function keepPrivate(reply: FastifyReply): void {
  reply.header('x-robots-tag', 'noindex, nofollow, noarchive')
}

const ENGLISH = { locale: 'en', warning: 'Whoever has this link can use it; do not pass it on.' }

/** One card in the middle: who asks, what it is about, and what a button does. */
export function renderTokenPage(
  { config }: ApiContext,
  title: string,
  content: Html,
  { locale, warning }: { locale: string; warning: string } = ENGLISH,
): Html {
  const body = html`<main id="content" class="slip">
<section class="card narrow"><h1>${title}</h1>${content}</section>
<p class="dim small">${LOGO} <a href="/">${new URL(config.publicUrl).host}</a>. ${warning}</p>
</main>`
  return renderDocument(title, body, { locale })
}

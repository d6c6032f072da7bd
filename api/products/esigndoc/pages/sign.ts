import { Problem } from '#kit'
import { findPage } from '../../../../sql/esigndoc/preparations.ts'
import { readForSigning, readLogoForSigning, type SigningView } from '../../../../sql/esigndoc/signing.ts'
import { readLogo } from '../../../../tasks/products/esigndoc/logo.ts'
import type { ApiContext } from '../../../context.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderNotice } from '../../../pages/parts/layout.ts'
import type { Page, PageRequest } from '../../../pages/parts/page.ts'
import { defineTokenPage } from '../../../pages/parts/token-page.ts'
import { setFrameAncestors } from '../../../pages/send.ts'
import { withBody } from '../../lease/index.ts'
import { findDocument, openDocument } from '../document-files.ts'
import { openPageImage, readAskedPage, readNumber } from '../page-images.ts'
import { type Act, act, readText } from '../signer/page/acting.ts'
import { writePlaces } from '../signer/page/document.ts'
import { describeDeadLink, describeFault } from '../signer/page/faults.ts'
import { NOTHING_SENT, type Sent } from '../signer/page/form.ts'
import { renderCard, renderSigning } from '../signer/page/states.ts'
import { requireAdmitted } from '../signer/signing.ts'
import { readSigner } from '../signer/visitor.ts'
import { chooseLanguage, fill, textsOf } from '../texts/choose.ts'

const PATH = '/sign/{token}'
/** What a form has besides its files. */
const FORM_BYTES = 2 ** 20
const MAX_FILES = 3
/** A document is sealed within seconds of the last signature. */
const RELOAD_SECONDS = '4'

/** A link that is of no use says so in the language of whoever opens it. */
function defineSignerPage(at: Page['at'], render: Page['render'], options?: { takesFiles: boolean }): Page {
  return defineTokenPage(
    at,
    async (asked, context) => {
      try {
        return await render(asked, context)
      } catch (error) {
        if (needsProof(error, asked)) return { redirectTo: `/sign/${encodeURIComponent(asked.params.token!)}` }
        const language = languageOf(asked)
        const texts = textsOf(language)
        const text = error instanceof Problem ? describeDeadLink(error, texts) : undefined
        if (text === undefined) throw error
        asked.reply.code((error as Problem).status)
        return renderCard(context, {
          title: texts.document,
          content: html`<p role="alert">${text}</p>`,
          language,
          texts,
        })
      }
    },
    options,
  )
}

/** The address of a document that was kept leads to where its reader shows who they are. */
function needsProof(error: unknown, { request }: PageRequest): boolean {
  return request.method === 'GET' && error instanceof Problem && error.code === 'VERIFICATION_REQUIRED'
}

function languageOf({ query, request }: PageRequest, set?: string) {
  return chooseLanguage(query.lang, set, request.headers['accept-language'])
}

export default [
  // A link that is only followed, as mail scanners do, changes nothing: the script of the page, or a button, tells that
  // somebody is there.
  defineSignerPage(`GET ${PATH}`, async (asked, context) => {
    const view = await read(asked, context)
    const done = asked.query.done as Act | undefined
    const language = languageOf(asked, view.language)
    const texts = textsOf(language)
    const notice = done === 'save' ? renderNotice('good', texts.saved) : undefined
    if (view.isAdmitted && view.status === 'sealing') asked.reply.header('refresh', RELOAD_SECONDS)
    return show(asked, context, view, notice, NOTHING_SENT)
  }),

  defineSignerPage(`POST ${PATH}`, receiveForm, { takesFiles: true }),

  defineSignerPage(`GET ${PATH}/page/{file}/{page}`, async (asked, context) => {
    const view = await read(asked, context)
    requireAdmitted(view)
    const page = readAskedPage(asked.params, asked.query)
    return openPageImage(context, db => findPage(db, view.envelopeId, page))
  }),

  defineSignerPage(`GET ${PATH}/document`, async (asked, context) => {
    const view = await read(asked, context)
    requireAdmitted(view)
    if (view.status !== 'completed' && !view.allowDownload) throw new Problem('FORBIDDEN')
    const index = readNumber(asked.query.file ?? '0')
    return openDocument(context, findDocument(view.documents!, 'current', index))
  }),

  defineSignerPage(`GET ${PATH}/logo`, async ({ request, params }, context) => {
    const { type, bytes } = readLogo(await readLogoForSigning(context.db, readSigner(context, request, params.token!)))
    return { headers: { 'content-type': type, 'cache-control': 'no-store' }, body: bytes }
  }),

  defineSignerPage(`GET ${PATH}/places.css`, async (asked, context) => {
    const view = await read(asked, context)
    const body = Buffer.from(writePlaces(view.fields))
    return { headers: { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'no-store' }, body }
  }),
]

function read({ params, request }: PageRequest, context: ApiContext): Promise<SigningView> {
  return readForSigning(context.db, readSigner(context, request, params.token!))
}

function show(asked: PageRequest, context: ApiContext, view: SigningView, notice: Html | undefined, sent: Sent): Html {
  const language = languageOf(asked, view.language)
  setFrameAncestors(asked.reply, view.embedOrigins)
  const page = { token: asked.params.token!, view, texts: textsOf(language), language }
  return renderSigning(context, page, notice, sent)
}

async function receiveForm(asked: PageRequest, context: ApiContext) {
  const { params, request, reply } = asked
  const signer = readSigner(context, request, params.token!)
  const view = await readForSigning(context.db, signer)
  const maxBytes = MAX_FILES * context.settings.get('esigndoc.max_upload_bytes') + FORM_BYTES
  let form = new FormData()
  try {
    const done = await withBody(context, request, maxBytes, async body => {
      form = await parseForm(body, request.headers['content-type'] ?? '')
      const language = chooseLanguage(readText(form, 'lang'), view.language, request.headers['accept-language'])
      return act(context, { signer, view, form, language, request, reply })
    })
    return answer(context, view, { token: params.token!, done, language: readText(form, 'lang') })
  } catch (error) {
    const language = languageOf(asked, readText(form, 'lang') ?? view.language)
    const fault = error instanceof Problem ? describeFault(error, textsOf(language), view) : undefined
    if (!fault) throw error
    reply.code((error as Problem).status)
    const sent = { text: (name: string) => readText(form, name), faults: fault.ids }
    const again = { ...asked, query: { ...asked.query, lang: language } }
    return show(again, context, await readForSigning(context.db, signer), renderNotice('bad', fault.text), sent)
  }
}

async function parseForm(body: Buffer, type: string): Promise<FormData> {
  return new Response(new Uint8Array(body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => Promise.reject(new Problem('INVALID_MULTIPART')))
}

interface Done {
  token: string
  done: Act
  language: string | undefined
}

/** Who has declined or passed it on has no page any more. */
function answer(context: ApiContext, view: SigningView, { token, done, language: asked }: Done) {
  const language = chooseLanguage(asked, view.language, undefined)
  const texts = textsOf(language)
  if (done === 'decline' || done === 'reassign') {
    const words = done === 'decline' ? texts.declined : texts.reassigned
    const url = done === 'decline' ? view.declineRedirectUrl : null
    const content = html`<p role="status">${fill(words, { sender: view.sender })}</p>${url !== null && html`<p><a class="button wide" href="${url}" rel="noreferrer">${texts.goOn}</a></p>`}`
    return renderCard(context, { title: texts.document, content, language, texts })
  }
  const query = new URLSearchParams({ done, ...(asked !== undefined && { lang: language }) })
  return { redirectTo: `/sign/${encodeURIComponent(token)}?${query}` }
}

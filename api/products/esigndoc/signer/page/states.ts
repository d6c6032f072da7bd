import { formatMoment } from '../../../../../tasks/products/esigndoc/index.ts'
import { LANGUAGES } from '../../../../../tasks/products/esigndoc/terms.ts'
import type { ApiContext } from '../../../../context.ts'
import { type Html, html } from '../../../../pages/parts/html.ts'
import { LOGO, renderDocument } from '../../../../pages/parts/layout.ts'
import { renderAgreementForm, type WalletTexts } from '../../../../pages/parts/wallet-form.ts'
import { writeHostedUrl } from '../../../idverify/index.ts'
import { fill } from '../../texts/choose.ts'
import type { Texts } from '../../texts/en.ts'
import { buildWalletProof } from '../proving.ts'
import { renderPages, type SignerPage } from './document.ts'
import { describeUntil, renderForm, renderOthers, renderProgress, type Sent } from './form.ts'

/** One card, such as for a link that is of no use. */
export function renderCard(
  { config }: Pick<ApiContext, 'config'>,
  { title, content, language, texts }: { title: string; content: Html; language: string; texts: Texts },
): Html {
  const body = html`${STYLE}<main id="content" class="slip"><section class="card narrow"><h1>${title}</h1>${content}</section>
<p class="dim small">${LOGO} <a href="/">${new URL(config.publicUrl).host}</a>. ${texts.warning}</p></main>`
  return renderDocument(title, body, { locale: language })
}

const STYLE = html`<link rel="stylesheet" href="/sign-assets/sign.css">`

/** The page on which a recipient reads and signs, whatever state it is in. */
export function renderSigning(context: ApiContext, page: SignerPage, notice: Html | undefined, sent: Sent): Html {
  const { view, texts, language } = page
  const isOpen = view.recipient.canAct
  const title = isOpen || !view.isAdmitted ? fill(texts.title, { title: view.title }) : view.title
  if (!view.isAdmitted) {
    const content = html`${renderLogo(page)}${notice}${renderProof(context, page)}${renderLanguages(page)}`
    return renderCard(context, { title, content, language, texts })
  }
  const path = `/sign/${encodeURIComponent(page.token)}`
  const download = (view.allowDownload || view.status === 'completed') && renderDownloads(page, path)
  const hasActed = view.recipient.status === 'completed'
  const message =
    !hasActed && view.message !== null && html`<blockquote class="message" dir="auto">${view.message}</blockquote>`
  const zoom = html`<div class="zoom" role="group" aria-label="${texts.zoom}" data-script hidden><button class="button quiet small" type="button" data-zoom="-1" aria-label="${texts.zoomOut}">−</button><button class="button quiet small" type="button" data-zoom="1" aria-label="${texts.zoomIn}">+</button></div>`
  // On a phone the form stands below the document.
  const jump = isOpen && html`<p><a class="button small to-form" href="#fill">${texts.yourFields}</a></p>`
  const side = isOpen
    ? html`${renderForm(page, sent)}${renderOthers(page)}${renderProgress(page)}`
    : renderProgress(page)
  const aside = side && html`<aside class="card" id="fill" aria-label="${texts.yourFields}">${side}</aside>`
  const body = html`${STYLE}<link rel="stylesheet" href="${path}/places.css">
<main id="content" class="signing"><header class="head">${renderLogo(page)}<h1>${title}</h1>${isOpen ? renderRequest(page) : renderEnd(page)}${message}${notice}<div class="row">${jump}${download}${zoom}${renderLanguages(page)}</div></header>
<div class="${aside ? 'halves' : 'whole'}">${renderPages(page)}${aside}</div>
<p class="dim small">${LOGO} <a href="/">${new URL(context.config.publicUrl).host}</a>. ${texts.warning}</p></main>
<script src="/sign-assets/sign.js" defer></script>`
  return renderDocument(title, body, { locale: language })
}

function renderLogo({ token, view }: SignerPage): Html | false {
  return (
    view.hasLogo && html`<p><img class="logo" src="/sign/${encodeURIComponent(token)}/logo" alt="${view.sender}"></p>`
  )
}

/** Who asks for what, and until when. */
function renderRequest(page: SignerPage): Html {
  const { view, texts } = page
  const { role, name } = view.recipient
  const asks = { viewer: texts.asksReading, cc: texts.asksReading, approver: texts.asksApproval }[role as string]
  const words = fill(asks ?? texts.asks, { sender: view.sender, name })
  return html`<p class="lead">${words} ${describeUntil(page, formatMoment(view.expiresAt, view.timezone))}</p>`
}

/** The sealed documents, or before that what is signed. */
function renderDownloads({ view, texts }: SignerPage, path: string): Html {
  const { files, outputs } = view.documents!
  const sealed = outputs.filter(({ kind }) => kind === 'signed')
  const all = view.status === 'completed' ? sealed : files
  const links = all.map(
    ({ name }, index) =>
      html`<a class="button quiet small" href="${path}/document?file=${index}" download>${texts.download}${all.length > 1 && `: ${name}`}</a>`,
  )
  return html`<p class="row">${links}</p>`
}

function renderEnd(page: SignerPage): Html {
  const { view, texts } = page
  const text = { completed: texts.doneAll, sealing: texts.sealing }[view.status as string] ?? texts.done
  const isReader = view.recipient.role === 'viewer' || view.recipient.role === 'cc'
  const words = isReader && view.status !== 'completed' ? texts.nothing : text
  const next =
    view.redirectUrl !== null &&
    view.recipient.status === 'completed' &&
    html`<p><a class="button wide" href="${view.redirectUrl}" rel="noreferrer">${texts.goOn}</a></p>`
  return html`${isReader && renderRequest(page)}<p role="status" class="lead">${words}</p>${next}`
}

function renderLanguages({ language, texts }: SignerPage): Html {
  const links = LANGUAGES.map(one =>
    one === language
      ? html`<span aria-current="true">${one.toUpperCase()}</span>`
      : html`<a href="?lang=${one}" hreflang="${one}" lang="${one}">${one.toUpperCase()}</a>`,
  )
  return html`<nav class="languages small" aria-label="${texts.language}">${links}</nav>`
}

/** How a recipient proves who they are. */
function renderProof({ config }: ApiContext, page: SignerPage): Html {
  const { view, texts, language } = page
  const { recipient, verification, sender } = view
  const action = `/sign/${encodeURIComponent(page.token)}`
  const form = (content: Html, act: string, button: string, kind = '') =>
    html`<form method="post" enctype="multipart/form-data" class="stack" action="${action}"><input type="hidden" name="lang" value="${language}">${content}<button class="button ${kind} wide" type="submit" name="act" value="${act}">${button}</button></form>`
  const codeField = (label: string, more: Html) =>
    html`<div class="field"><label for="code">${label}</label><input id="code" name="code" maxlength="100" required ${more}></div>`
  if (view.isInUse) return html`<p role="alert">${fill(texts.inUse, { sender })}</p>`
  switch (verification) {
    case 'none':
      return html`<p>${fill(texts.asks, { sender, name: recipient.name })}</p><p class="dim">${texts.openHint}</p>${form(html``, 'open', texts.open)}`
    case 'access_code':
      return html`<p>${fill(texts.proveCode, { sender })}</p>${form(codeField(texts.accessCode, html`autocomplete="off"`), 'prove', texts.confirm)}`
    case 'wallet': {
      const typed = buildWalletProof(view, Math.floor(Date.now() / 1_000))
      const fields = html`<input type="hidden" name="act" value="wallet"><input type="hidden" name="lang" value="${language}">`
      const button = html`<button class="button wide" type="submit">${texts.signWallet}</button>`
      return html`<p>${fill(texts.proveWallet, { address: view.wallet! })}</p>${renderAgreementForm(typed, fields, button, walletTextsOf(texts))}`
    }
    case 'idverify': {
      const link = view.verificationId !== null && writeHostedUrl({ config }, view.verificationId)
      return html`<p>${texts.proveIdentity}</p>${link && html`<p><a class="button wide" href="${link}">${texts.toIdentity}</a></p>`}${form(html``, 'prove', texts.checkIdentity, 'quiet')}`
    }
    default: {
      const isMail = verification === 'email_otp'
      const address = mask((isMail ? recipient.email : recipient.phone) ?? '', isMail)
      const more = html`inputmode="numeric" autocomplete="one-time-code" pattern="[0-9]{6}"`
      const words = html`<p>${fill(isMail ? texts.proveEmail : texts.provePhone, { address })}</p>`
      if (!view.hasCode) return html`${words}${form(html``, 'code', texts.sendCode)}`
      return html`${words}<p role="status">${texts.codeSent}</p>${form(codeField(texts.code, more), 'prove', texts.confirm)}${form(html``, 'code', texts.sendAgain, 'quiet')}`
    }
  }
}

function walletTextsOf(texts: Texts): WalletTexts {
  return {
    ...{ wallet: texts.walletChoice, unnamed: texts.walletUnnamed, opening: texts.walletOpening },
    ...{ switching: texts.walletSwitching, signing: texts.walletSigning, declined: texts.walletDeclined },
    ...{ silent: texts.walletSilent, noAccount: texts.walletNoAccount },
    ...{ otherAccount: texts.walletOther, unknownNetwork: texts.walletNetwork },
  }
}

/** Enough to know it again. */
function mask(address: string, isMail: boolean): string {
  if (!isMail) return `…${address.slice(-3)}`
  const [name = '', host = ''] = address.split('@')
  return `${name.slice(0, 1)}…@${host}`
}

/** Scripts that run in a world that the page's own scripts cannot reach. */

/**
 * Hides dialogs that cover the page and ask for consent: what is fixed or sticky, high on the page, speaks of cookies or
 * consent, and has a button. Lets the page scroll again, since such dialogs often stop that.
 */
export const HIDE_CONSENT_DIALOGS = `(() => {
  const asks = /cookie|consent|gdpr|datenschutz|confidentialit|privacidad|privacy/i
  let hidden = 0
  for (const element of document.querySelectorAll('div, section, aside, dialog, form, footer')) {
    if (hidden > 20 || !element.isConnected) continue
    const style = getComputedStyle(element)
    if (!/fixed|sticky/.test(style.position) && !element.matches('dialog[open]')) continue
    const text = element.innerText ?? ''
    if (text.length > 4000 || !asks.test(text) || !element.querySelector('button, a, input[type=button]')) continue
    if (element.querySelector('main, article, nav')) continue
    element.style.setProperty('display', 'none', 'important')
    hidden += 1
  }
  if (hidden > 0) for (const root of [document.documentElement, document.body])
    root?.style.setProperty('overflow', 'auto', 'important')
  return hidden
})()`

export const addStyle = (css: string) => `(() => {
  const style = document.createElement('style')
  style.textContent = ${JSON.stringify(css)}
  ;(document.head ?? document.documentElement).append(style)
})()`

/** Throws for a selector that is none. */
export const isSelector = (selector: string) =>
  `(document.createDocumentFragment().querySelector(${JSON.stringify(selector)}), true)`

export const clickFirst = (selector: string) => `(() => {
  const element = document.querySelector(${JSON.stringify(selector)})
  element?.click()
  return Boolean(element)
})()`

const STEP_MS = 40
/** A page that draws no frame for so long is not waited for. */
const FRAME_MS = 500
const IMAGES_MS = 2500

/** Images of the page are still on their way in if it did not wait for them. */
export const WAIT_FOR_LATE_IMAGES = `(async () => {
  const images = [...document.images].filter(image => !image.complete)
  const loaded = images.map(image => new Promise(done => { image.onload = image.onerror = done }))
  await Promise.race([Promise.all(loaded), new Promise(done => setTimeout(done, ${IMAGES_MS}))])
})()`

/** Goes down the page so that what loads late is loaded, at most to this height, and back to the top. */
export const scrollThrough = (maxHeight: number) => `(async () => {
  const pause = durationMs => new Promise(done => setTimeout(done, durationMs))
  // Scripts learn that something came into view when a frame is drawn, and have then begun to load it with the next.
  const draw = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
  for (const late of document.querySelectorAll('img[loading=lazy], iframe[loading=lazy]')) late.loading = 'eager'
  const root = document.scrollingElement ?? document.documentElement
  const end = Math.min(${maxHeight}, Math.max(root.scrollHeight * 2, innerHeight))
  for (let y = 0; y < Math.min(end, root.scrollHeight); y += Math.max(200, innerHeight)) {
    scrollTo(0, y)
    await Promise.all([pause(${STEP_MS}), Promise.race([draw(), pause(${FRAME_MS})])])
  }
  scrollTo(0, 0)
  await ${WAIT_FOR_LATE_IMAGES}
  await pause(${STEP_MS})
})()`

/** Ends what would look different a moment later. */
export const STOP_MOTION = `(() => {
  for (const animation of document.getAnimations()) {
    try {
      if (animation.effect?.getComputedTiming().endTime === Infinity) animation.cancel()
      else animation.finish()
    } catch {}
  }
  for (const video of document.querySelectorAll('video, audio')) video.pause?.()
})()`

/** What is fixed to the window is fixed to the page instead, so that it is not drawn on every page or part. */
export const RELEASE_FIXED = `(() => {
  for (const element of document.querySelectorAll('body *')) {
    const { position } = getComputedStyle(element)
    if (position === 'fixed') element.style.setProperty('position', 'absolute', 'important')
    else if (position === 'sticky') element.style.setProperty('position', 'relative', 'important')
    if (position === 'sticky') for (const side of ['top', 'bottom']) element.style.setProperty(side, 'auto', 'important')
  }
})()`

export interface SiteFacts {
  title: string
  isChallenge: boolean
}

/** A page that asks for a proof of being human instead of showing itself. */
export const READ_FACTS = `(() => ({
  title: document.title.slice(0, 1000),
  isChallenge: /^(just a moment|attention required|verify you are human|are you a robot|access denied)/i.test(document.title.trim()) ||
    Boolean(document.querySelector('#challenge-form, #cf-challenge-running, #px-captcha, iframe[src*="captcha-delivery"]')) ||
    (document.body?.innerText ?? '').length < 1500 &&
      Boolean(document.querySelector('iframe[src*="recaptcha/api2/anchor"], iframe[src*="hcaptcha.com"], .cf-turnstile')),
}))()`

export const READ_HTML = 'document.documentElement.outerHTML.slice(0, 8_000_000)'

/** Limits the wait, since fonts and frames never become ready in a page that was stopped while loading. */
const limitWait = (promise: string) => `Promise.race([${promise}, new Promise(done => setTimeout(done, 2000))])`

export const WAIT_FOR_IMAGES = limitWait(
  'Promise.all([document.fonts.ready, ...[...document.images].map(image => image.decode().catch(() => {}))]).then(() => true)',
)

export const WAIT_FOR_FONTS = limitWait('document.fonts.ready.then(() => true)')

/** Resolves to true if the page has no scripts. Waits for two frames, because charts draw in the first. */
export const WAIT_UNTIL_SETTLED =
  limitWait(`document.fonts.ready.then(() => document.scripts.length === 0 || new Promise(done =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(false)))))`)
